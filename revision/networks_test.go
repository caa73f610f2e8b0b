package revision

import (
	"net/netip"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/model/network"
	"rung/system"
)

// A network is seen as the revision has it that is asked: what follows from the objects is shared, live rows
// and times are the revision's own.
func TestOnNetworkFollowsZones(t *testing.T) {
	ns := &model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: "blue"}, Labels: model.NewLabels(map[string]string{model.LabelPrimaryUDN: ""})}}
	nad := &network.Attachment{Meta: model.Meta{Key: model.Key{Kind: model.KindNAD, Namespace: "blue", Name: "net"}},
		Config: network.Config{Name: "blue_net", Topology: network.Layer3, Primary: true, Subnets: []netip.Prefix{netip.MustParsePrefix("10.20.0.0/16")}}}
	c, _ := (*model.Cluster)(nil).Upsert([]model.Object{ns, nad}, nil)
	facts := Facts{Cluster: c, Desired: compiler.Compile(c, compiler.Options{IPv4: true}), System: system.OVN, Number: 1}
	before := New(facts, nil)
	was := OnNetwork(before, "blue_net")
	if was == nil {
		t.Fatal("no such network")
	}
	facts.Number, facts.Zones = 2, []*model.ZoneState{{Name: "n1"}}
	after := New(facts, before)
	is := OnNetwork(after, "blue_net")
	if is.Number != 2 || len(is.Zones) != 1 || WholeRevision(is) != after {
		t.Errorf("revision %d with %d zones", is.Number, len(is.Zones))
	}
	if is.Ladder() != was.Ladder() {
		t.Error("the ladder was built anew from the same objects")
	}
	if again := OnNetwork(after, "blue_net"); again != is {
		t.Error("asked twice, made twice")
	}
	if len(was.Zones) != 0 {
		t.Error("a revision that was handed out changed")
	}
}
