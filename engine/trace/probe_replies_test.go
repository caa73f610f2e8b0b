package trace_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"rung/compiler"
	"rung/engine/trace"
	"rung/model"
	"rung/model/network"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/revision"
	"rung/system"
	"rung/test/made"
)

// A reply that a secondary network drops is no disagreement: rows and policies say so, too (networks.md#replies). One
// that gets through is.
func TestDroppedReply(t *testing.T) {
	attached := func(name, node, ip string) *model.Pod {
		p := made.Pod(name, "", "10.244.0."+ip[strings.LastIndex(ip, ".")+1:])
		p.NodeName, p.Phase, p.Attachments = node, "Running", []string{"shop/disks"}
		p.Networks = []model.PodNetwork{{Name: "shop/disks", Role: "secondary", IPs: []string{ip}}}
		return p
	}
	nad := &network.Attachment{Meta: model.Meta{Key: model.Key{Kind: model.KindNAD, Namespace: "shop", Name: "disks"}},
		Config: network.Config{Name: "disks", Topology: network.Layer2, Subnets: []netip.Prefix{netip.MustParsePrefix("10.9.0.0/24")}}}
	closed := made.ANP("closed", 0, "*", nil, nil)
	closed.Kind, closed.Namespace, closed.Tier, closed.IsolatesIngress = model.KindMNP, "shop", model.TierNetwork, true
	closed.Subject = model.Subject{Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true, Namespace: "shop"}
	closed.Annotations = map[string]string{model.AnnotationPolicyFor: "disks"}
	till, safe := attached("shop/till", "n1", "10.9.0.4"), attached("shop/safe", "n2", "10.9.0.5")
	safe.Labels = model.NewLabels(map[string]string{"app": "safe"})
	closed.Subject.Pods, closed.Subject.AllPods = made.Sel("!app"), false
	c := made.Cluster(made.Node("n1", "", "172.18.0.2"), made.Node("n2", "", "172.18.0.3"), made.NS("shop", ""), nad, till, safe, closed)
	facts := revision.Facts{Cluster: c, Desired: compiler.Compile(c, compiler.Options{IPv4: true}), System: system.OVN, Number: 1, Loaded: true}
	compiled := revision.New(facts, nil)
	var drop string
	for _, node := range []string{"n1", "n2"} {
		db := revision.CompiledDatabase(compiled, node)
		facts.Zones = append(facts.Zones, &model.ZoneState{Name: node, DB: db})
		for a := range db.ACLs() {
			if node == "n1" && a.Action == nb.ActionDrop && a.Direction == nb.ToLport {
				drop = a.UUID
			}
		}
	}
	r := revision.New(facts, nil)
	q := verdict.Connection{From: verdict.PodEnd("shop", "till"), To: verdict.PodEnd("shop", "safe"), Protocol: verdict.TCP, Port: 80, Network: "disks"}
	steps := []trace.PacketStep{{Packet: "SYN", Zone: "n1", Delivered: true}, {Packet: "SYN", Zone: "n2", Delivered: true},
		{Packet: "SYN-ACK", Reply: true, Zone: "n2", Delivered: true},
		{Packet: "SYN-ACK", Reply: true, Zone: "n1", Met: []trace.MetACL{{Stage: model.StageToLport, ACL: drop}}}}
	out, err := trace.JudgePackets(r, r, q, []trace.PathPackets{{Steps: steps}}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if out.Packets.Verdict != verdict.Deny || out.Rows.Verdict != verdict.Deny || out.Policies.Verdict != verdict.Deny || len(out.Findings) > 0 {
		t.Errorf("packets %s, rows %s, policies %s, %+v", out.Packets.Verdict, out.Rows.Verdict, out.Policies.Verdict, out.Findings)
	}
	s := trace.DecidingStage(&out.Packets.Paths[0])
	if s == nil || !s.Reply || s.Zone != "n1" {
		t.Errorf("decided in %+v", s)
	}
	steps[3].Delivered, steps[3].Met = true, nil
	if out, err = trace.JudgePackets(r, r, q, []trace.PathPackets{{Steps: steps, AllDelivered: true}}, time.Now()); err != nil || len(out.Findings) == 0 {
		t.Errorf("a reply got through past a deny, and nothing was found: %v", err)
	}
}
