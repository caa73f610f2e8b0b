package convert_test

import (
	"strings"
	"testing"

	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/revision"
	"rung/sources/manifests"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

// TestAntrea: the rules of the Antrea demo with their labels, why, and the proof above them;
// from a rule to where it stands and back; the text of what was made.
func TestAntrea(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.AntreaFacts(t), nav.ToConvert("anp"))
	s.Want("✗ proof: differs in", "before as Antrea", "✓", "≈", "not expressible →")
	s.Golden("antrea", [2]int{120, 34}, [2]int{200, 60})
	for s.Line("▸ ✗ not expressible") == "" {
		s.Press("j")
	}
	s.Want("the API has no clients of NodePort Services")
	s.Press("enter")
	s.Want("ACNP acnp-deny-external-client-nodeport-svc-access")
	s.Press("esc")
	s.Want("▸ ✗ not expressible")
	s.Press("V", "g")
	s.WantNot("✓ exact  ")
	s.Press("v")
	s.Want("apiVersion: policy.networking.k8s.io/v1alpha1", "v back · ANP ")
	s.Golden("text")
	s.Press("v", "a")
	s.Want("convert anp › preview", "Apply?")
	s.Press("esc")
	s.ResizeAll()
}

// TestTargets: one API after the other; what is of that API already is not converted.
func TestTargets(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.DemoFacts(t), nav.ToConvert(""))
	s.Want("convert cnp", "✓ proof: equal for every connection (39 pods", "ANP break-glass")
	s.Golden("exact", [2]int{120, 34})
	s.Press("V")
	s.Want("every rule is exact")
	s.Press("a")
	s.Want("nobody enforces ClusterNetworkPolicies here")
	s.Press("tab")
	s.Want("convert antrea", "ACNP break-glass", "◇ EF yellow/default: left out of the comparison: EgressFirewalls are")
	s.Press("a")
	s.Want("convert antrea › preview", "Apply?")
	s.Press("esc")
	s.Press("tab")
	s.Want("convert anp", "nothing to convert to anp")
	s.Golden("nothing")
}

const cnps = `apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: edge}
spec:
  tier: Admin
  priority: 33
  subject: {namespaces: {matchLabels: {tenant: blue}}}
  egress:
  - {action: Deny, to: [{networks: [192.0.2.0/24]}, {domainNames: [www.example.com]}]}
  - {action: Accept, to: [{namespaces: {matchLabels: {tenant: blue}}}]}
`

// TestApply: what is not exact wants its name typed; it is one change with one undo.
func TestApply(t *testing.T) {
	g := uitest.NewGated(t, func(p *revision.Facts) {
		var objects []model.Object
		objects = append(objects, manifests.Parse("cnp.yaml", []byte(cnps), manifests.Options{}).Objects...)
		p.Cluster, _ = p.Cluster.Upsert(objects, nil)
		p.Desired = nil
	})
	s := uitest.OpenWith(t, g.Fake, ui.Options{Page: nav.ToConvert("anp"), StateDir: t.TempDir()})
	s.Press("g", "V")
	s.Want("≈ approximate", "the API has no domain names")
	s.Press("a")
	s.Want("yes, then type edge", "CNP edge egress 0 (Deny) is approximate:")
	s.Golden("guard")
	s.Press("a")
	s.Type("edge")
	s.Press("enter")
	key := model.PolicyKey{Kind: model.KindANP, Name: "edge"}
	if p := g.Engine.Revision().Cluster.Policy(key); p == nil || p.Priority != 33 || !strings.Contains(p.YAML, "192.0.2.0/24") {
		t.Fatalf("made %+v", p)
	}
	if h := g.Engine.History(); len(h) != 1 {
		t.Fatalf("%d changes", len(h))
	}
	p, err := g.Engine.Preview(t.Context(), change.Mutation{Op: change.OpUndo})
	if err != nil || len(p.Objects) == 0 {
		t.Fatal(err, p.Blocked)
	}
	if _, err := g.Engine.Commit(t.Context(), p, gate.Confirm{Yes: true, Name: p.ConfirmName}); err != nil {
		t.Fatal(err)
	}
	if g.Engine.Revision().Cluster.Policy(key) != nil {
		t.Error("undo left it")
	}
}
