package compiler

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/test/made"
)

func cnp(name string, tier int, priority int32, rules ...model.Rule) *model.Policy {
	p := made.ANP(name, priority, "*", nil, rules)
	p.Kind, p.Tier = model.KindCNP, tier
	return p
}

// Rows of ClusterNetworkPolicies (ovn-kubernetes.md#clusternetworkpolicy): none unless they
// are asked for, then those of an ANP with an owner type and tier of their own.
func TestCNP(t *testing.T) {
	everyone := made.Peers(made.NSPeer("*"))
	domain := model.Peer{Kind: model.PeerDNS, DNSName: "example.org"}
	c := made.Cluster(made.NS("a", ""), made.Pod("a/p", "x=y", "10.1.0.1"),
		made.ANP("same", 7, "*", nil, []model.Rule{made.Rule(model.Deny, everyone)}),
		cnp("same", model.TierAdmin, 7, made.Rule(model.Allow, everyone, made.TCP(80)), made.Rule(model.Pass, everyone)),
		cnp("low", model.TierBaseline, 7, made.Rule(model.Deny, everyone), made.Rule(model.Pass, everyone)),
		cnp("far", model.TierBaseline, 100, made.Rule(model.Deny, everyone)),
		cnp("names", model.TierAdmin, 1, made.Rule(model.Allow, made.Peers(domain))))
	for _, on := range []bool{false, true} {
		d := Compile(c, Options{IPv4: true, CNP: on})
		var got []string
		for p := range c.Policies(model.KindCNP) {
			rows := d.RowsOfUnit(p.Key, "", nil)
			if rows.None != nil {
				got = append(got, p.Name+": "+rows.None.Code+": "+rows.None.Message)
				continue
			}
			for _, a := range rows.ACLs {
				got = append(got, fmt.Sprintf("%s tier %d %d %s %s", a.ID(), a.Tier, a.Priority, a.Action, a.Name))
			}
		}
		slices.Sort(got)
		no := ": no-controller: OVN-Kubernetes has no controller for ClusterNetworkPolicy"
		want := []string{"far" + no, "low" + no, "names" + no, "same" + no}
		if on {
			const id = "default-network-controller:ClusterNetworkPolicy:"
			want = []string{
				id + "low:Egress:0:None tier 3 29300 drop CNP:low:Egress:0",
				id + "low:Egress:1:None tier 3 29299 pass CNP:low:Egress:1",
				id + "same:Egress:0:tcp tier 1 29300 allow-related CNP:same:Egress:0",
				id + "same:Egress:1:None tier 1 29299 pass CNP:same:Egress:1",
				"far: priority: error attempting to add CNP far with priority 100 because, OVNK only supports priority ranges 0-99",
				"names: profile: egress rule 0 uses domainNames, which OVN-Kubernetes does not support"}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("compiled %v: -want +got\n%s", on, d)
		}
	}
}
