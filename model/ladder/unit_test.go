package ladder

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/test/made"
)

func tier2Ladder() *Ladder {
	return New(made.Tier2Cluster(), Options{Units: []model.Key{{Kind: model.KindNetpolDefault, Name: "allow-hairpinning"}, {Kind: model.KindNetpolNode, Name: "n1"},
		{Kind: model.KindMulticastCluster, Name: "DefaultDeny"}, {Kind: model.KindMulticastCluster, Name: "AllowInterNode"}, {Kind: model.KindMulticastNS, Namespace: "blue", Name: "default"},
		{Kind: model.KindNetpolNamespace, Namespace: "green", Name: "Egress"}, {Kind: model.KindPodSelector, Name: "x"}}})
}

func sectionsText(l *Ladder, stage model.Stage) string {
	var b strings.Builder
	for _, s := range l.Tiers[model.TierNetwork].Sections(stage) {
		fmt.Fprintln(&b, s.Kind, s.Stage)
		line := func(u Unit) {
			first, last, _ := u.PriorityRange(s.Stage)
			fmt.Fprintln(&b, "  ", first, last, u.Key)
		}
		for _, n := range s.Namespaces {
			fmt.Fprintln(&b, "  namespace", n.Name, n.IsolatesDirection(model.Ingress), n.IsolatesDirection(model.Egress), n.Firewall != nil, n.Multicast)
			for _, u := range append(n.Policies, n.Denies...) {
				line(u)
			}
		}
		for _, u := range s.Units {
			line(u)
		}
	}
	return b.String()
}

// The priorities and stages of ovn-kubernetes.md#priorities and #stages, in the order
// in which they decide.
func TestSections(t *testing.T) {
	l := tier2Ladder()
	for stage, want := range map[model.Stage]string{
		model.StageFromLport: "",
		model.StageAfterLB: `multicast from-lport-after-lb
   1012 1012 MulticastNS/blue/default
   1012 1012 MulticastCluster/AllowInterNode
   1011 1011 MulticastCluster/DefaultDeny
netpol from-lport-after-lb
  namespace blue false true true true
   1001 1001 NetworkPolicy/blue/both
   1000 1000 NetpolNamespace/blue/Egress
own from-lport-after-lb
   1001 1001 NetpolDefault/allow-hairpinning
deny from-lport-after-lb
   1000 1000 NetpolNamespace/blue/Egress
`,
		model.StageToLport: `firewall to-lport
   10000 9999 EgressFirewall/blue/default
   1012 1012 MulticastNS/blue/default
   1012 1012 MulticastCluster/AllowInterNode
   1011 1011 MulticastCluster/DefaultDeny
netpol to-lport
  namespace blue true false true true
   1001 1001 NetworkPolicy/blue/both
   1001 1001 NetworkPolicy/blue/in
   1000 1000 NetpolNamespace/blue/Ingress
  namespace green true false false false
   1001 1001 NetworkPolicy/green/closed
   1000 1000 NetpolNamespace/green/Ingress
own to-lport
   1001 1001 NetpolDefault/allow-hairpinning
   1001 1001 NetpolNode/n1
deny to-lport
   1000 1000 NetpolNamespace/blue/Ingress
   1000 1000 NetpolNamespace/green/Ingress
`,
	} {
		if diff := cmp.Diff(want, sectionsText(l, stage)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", stage, diff)
		}
		if diff := cmp.Diff(sectionsText(l, stage), sectionsText(l.OfStage(stage), stage)); diff != "" {
			t.Errorf("%s, narrowed first (-want +got):\n%s", stage, diff)
		}
	}
	all := sectionsText(l, "")
	for _, part := range []string{"namespace blue true true true true", "namespace red false false false false", "NetworkPolicy/red/refused"} {
		if !strings.Contains(all, part) {
			t.Errorf("all stages lack %s:\n%s", part, all)
		}
	}
	if strings.Contains(all, "NetpolNamespace/green/Egress") || strings.Contains(all, "NetpolNamespace/red") {
		t.Errorf("a default deny of pods that nobody isolates:\n%s", all)
	}
}

func TestLadderInStage(t *testing.T) {
	l := tier2Ladder()
	got := map[model.Stage]string{}
	for _, s := range model.PipelineStages() {
		var names []string
		n := l.OfStage(s)
		for _, r := range n.Tiers[model.TierAdmin].Rungs {
			for _, p := range r.Policies {
				names = append(names, fmt.Sprint(r.Priority, " ", p.Policy.Name, " ", r.Duplicate, " ", p.Conflicts))
			}
		}
		got[s] = fmt.Sprint(names, len(n.Conflicts), n.Tiers[model.TierNetwork].Counts)
	}
	want := map[model.Stage]string{model.StageFromLport: "[] 0 map[]", model.StageAfterLB: "[10 both false []] 0 map[NetworkPolicy:1]",
		model.StageToLport: "[10 both true [] 10 in true []] 0 map[EgressFirewall:1 NetworkPolicy:3]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if l.OfStage("") != l || l.Tiers[model.TierAdmin].Rungs[0].Policies[1].Policy.Name != "in" {
		t.Error("narrowing changed the ladder itself")
	}
	// Conflicts are of a direction: the ladder of the other stage has none.
	c := New(made.LadderCluster(), Options{})
	if n := len(c.OfStage(model.StageToLport).Conflicts); n != 1 {
		t.Errorf("%d conflicts in to-lport", n)
	}
	if n := len(c.OfStage(model.StageAfterLB).Conflicts); n != 0 {
		t.Errorf("%d conflicts in from-lport-after-lb", n)
	}
}
