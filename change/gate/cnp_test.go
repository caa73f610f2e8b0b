package gate

import (
	"slices"
	"strings"
	"testing"

	"rung/change"
	"rung/model"
	"rung/test/changing"
)

const cnpNext = `apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: next} # as others will
spec:
  tier: Admin
  priority: 34
  subject: {namespaces: {matchLabels: {tenant: blue}}}
  ingress:
  - {name: no-red, action: Deny, from: [{namespaces: {matchLabels: {tenant: red}}}]}
`

// A ClusterNetworkPolicy is created, edited, moved, logged and deleted through the gate, and
// each is taken back, to the very text; that nobody enforces it is said each time it is written.
func TestCNPThroughTheGate(t *testing.T) {
	w := newWorld(t)
	g := w.Gate(t.TempDir())
	key := model.Key{Kind: model.KindCNP, Name: "next"}
	text := func() string {
		if p := w.Current().Cluster.Policy(key); p != nil {
			return p.YAML
		}
		return ""
	}
	edited := strings.Replace(cnpNext, "action: Deny", "action: Pass", 1)
	const idle = "will not be enforced: no controller"
	was := []string{""}
	for _, c := range []struct {
		m     change.Mutation
		title string
		want  string // a part of the text then
		note  string
	}{
		{changing.Apply(cnpNext), "Create CNP next", "action: Deny", idle},
		{change.Mutation{Op: change.OpApply, YAML: []byte(edited), Base: []byte(cnpNext)}, "Update CNP next", "action: Pass", idle},
		{change.Mutation{Op: change.OpMove, Policy: key, Priority: 1000}, "Move CNP next from 34 to 1000", "priority: 1000", idle},
		{change.Mutation{Op: change.OpLogLevel, Policy: key, Levels: model.LogLevels{Deny: "alert"}}, "Set logging of CNP next to deny=alert", "acl-logging", idle},
		{change.Mutation{Op: change.OpDelete, Policy: key}, "Delete CNP next", "", ""},
	} {
		p, err := g.Preview(t.Context(), w.Current(), c.m)
		if err != nil || p.Blocked != "" || p.Title != c.title || len(p.Rows) > 0 {
			t.Fatalf("%s: %v, %+v", c.title, err, p)
		}
		if c.note != "" && !slices.Contains(p.Notes, c.note) {
			t.Errorf("%s: %q", c.title, p.Notes)
		}
		for _, n := range p.Notes {
			if strings.Contains(n, "established connections") {
				t.Errorf("%s: says of a policy that nobody enforces: %s", c.title, n)
			}
		}
		do(t, w, g, c.m, typed("next"))
		if !strings.Contains(text(), c.want) || c.want == "" && text() != "" {
			t.Errorf("%s: the text is\n%s", c.title, text())
		}
		was = append(was, text())
	}
	for i := len(was) - 2; i >= 0; i-- {
		do(t, w, g, change.Mutation{Op: change.OpUndo}, typed("next"))
		if text() != was[i] {
			t.Errorf("after undo %d the text is\n%s\nwant\n%s", len(was)-1-i, text(), was[i])
		}
	}
	for i := 1; i < len(was); i++ {
		do(t, w, g, change.Mutation{Op: change.OpRedo}, typed("next"))
		if text() != was[i] {
			t.Errorf("after redo %d the text is\n%s\nwant\n%s", i, text(), was[i])
		}
	}
}

// What the API refuses of one blocks the change, with the field.
func TestBadCNPIsRefused(t *testing.T) {
	w := newWorld(t)
	g := w.Gate("")
	for old, change := range map[string][2]string{
		"action: Deny":   {"action: Allow", `Unsupported value: "Allow"`},
		"tier: Admin":    {"tier: Platform", `Unsupported value: "Platform"`},
		"priority: 34":   {"priority: 1001", "less than or equal to 1000"},
		"action: Deny, ": {"action: Deny, ports: [{portNumber: {protocol: TCP, port: 80}}], ", "the rule would match every port"},
		"no-red, ":       {"no-red, protocols: [{tcp: {}}], ", "must have one field set"},
	} {
		p, err := g.Preview(t.Context(), w.Current(), changing.Apply(strings.Replace(cnpNext, old, change[0], 1)))
		if err != nil || !strings.Contains(p.Blocked, change[1]) {
			t.Errorf("%s: %v, blocked %q", change[0], err, p.Blocked)
		}
	}
}
