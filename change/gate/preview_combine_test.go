package gate

import (
	"strings"
	"testing"

	"rung/change"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/test/changing"
	"rung/test/given"
)

// What a change is made for is no surplus, and what else the text does is counted, as it was
// edited; Commit sees that it is another.
func TestSurplus(t *testing.T) {
	w := newWorld(t, given.ANP("wall", 50, "tenant=blue", "out deny tenant=red"))
	g := w.Gate("")
	wanted := &diff.WantedVerdict{Becomes: verdict.Allow, Connections: []verdict.Connection{{From: verdict.PodEnd("blue", "web-0"), To: verdict.PodEnd("red", "web-0"),
		Protocol: verdict.TCP, Port: 80}}}
	text := `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: door}
spec:
  priority: 49
  subject: {pods: {namespaceSelector: {matchLabels: {tenant: blue}}, podSelector: {matchLabels: {app: web}}}}
  egress:
  - action: Allow
    to: [{pods: {namespaceSelector: {matchLabels: {tenant: red}}, podSelector: {matchLabels: {app: web}}}}]
    ports: [{portNumber: {protocol: TCP, port: 80}}]
`
	for edited, want := range map[string]string{
		text: "opens only the logged connections",
		strings.Replace(text, "podSelector: {matchLabels: {app: web}}}}\n", "podSelector: {}}}\n", 1): "opens 1 pair without log lines: blue/db-1 → red/web-0, TCP 80; for example blue/db-1 → red/web-0 tcp 80",
		strings.Replace(text, "port: 80", "port: 81", 1):                                              "opens 1 pair without log lines: blue/web-0 → red/web-0, TCP 81; for example blue/web-0 → red/web-0 tcp 81",
		strings.Replace(text, "to: [{pods", "to: [{networks: [8.8.8.0/24]}, {pods", 1):                "opens only the logged connections",
	} {
		p, err := g.Preview(t.Context(), w.Current(), change.Mutation{Op: change.OpApply, YAML: []byte(edited), Wanted: wanted})
		if err != nil || p.Surplus == nil || p.Surplus.Text() != want {
			t.Errorf("%v\ngot  %v\nwant %s", err, p.Surplus, want)
		}
	}
	p, err := g.Preview(t.Context(), w.Current(), change.Mutation{Op: change.OpApply, YAML: []byte(text)})
	if err != nil || p.Surplus != nil {
		t.Errorf("a surplus of what nobody wants: %v %v", p.Surplus, err)
	}
}

// Several changes in one are made in order, and an object is told of once.
func TestCombine(t *testing.T) {
	w := newWorld(t, given.ANP("a", 10, "tenant=blue", "out deny tenant=red"), given.ANP("b", 20, "tenant=red", "in deny tenant=blue"))
	g := w.Gate("")
	c := given.ANP("c", 30, "tenant=blue", "in pass tenant=red")
	for _, x := range []struct {
		name    string
		parts   []change.Mutation
		objects string
		blocked string
	}{
		{"two deletions", []change.Mutation{changing.Remove("a"), changing.Remove("b")}, "delete a, delete b", ""},
		{"moved twice", []change.Mutation{changing.Move("a", 11), changing.Move("a", 12)}, "update a 12", ""},
		{"moved there and back", []change.Mutation{changing.Move("a", 11), changing.Move("b", 21), changing.Move("a", 10)}, "update b 21", ""},
		{"moved and deleted", []change.Mutation{changing.Move("a", 11), changing.Remove("a")}, "delete a", ""},
		{"made, moved and deleted", []change.Mutation{changing.Apply(c), changing.Move("c", 31), changing.Remove("c"), changing.Remove("a")}, "delete a", ""},
		{"made and moved", []change.Mutation{changing.Apply(c), changing.Move("c", 31)}, "create c 31", ""},
		{"deleted and moved", []change.Mutation{changing.Remove("a"), changing.Move("a", 11)}, "delete a", "there is no ANP a"},
	} {
		p, err := g.Preview(t.Context(), w.Current(), change.Mutation{Op: change.OpCombine, Parts: x.parts})
		if err != nil {
			t.Fatal(x.name, err)
		}
		var got []string
		for _, o := range p.Objects {
			text := o.Verb() + " " + o.Key.Name
			if o.New != nil {
				text += " " + strings.TrimSpace(strings.Split(strings.Split(o.New.YAML, "priority:")[1], "\n")[0])
			}
			got = append(got, text)
		}
		if s := strings.Join(got, ", "); s != x.objects || !strings.Contains(p.Blocked, x.blocked) || x.blocked == "" && p.Blocked != "" {
			t.Errorf("%s: %s (%s), want %s (%s)", x.name, s, p.Blocked, x.objects, x.blocked)
		}
	}
	// Both denied the same pair: only what both do opens it.
	p, err := g.Preview(t.Context(), w.Current(), change.Mutation{Op: change.OpCombine, Parts: []change.Mutation{changing.Remove("a"), changing.Remove("b")}})
	if err != nil || p.Effect == nil || !p.Effect.FlipsVerdicts() {
		t.Errorf("both deleted, and nothing opens: %v %+v", err, p.Effect)
	}
}

// An undo of what stands as it was is refused, audited, and done with.
func TestUndoOfNothing(t *testing.T) {
	w := newWorld(t, given.ANP("a", 10, "tenant=blue", "out deny tenant=red"))
	dir := t.TempDir()
	g := w.Gate(dir)
	do := func(m change.Mutation) error {
		p, err := g.Preview(t.Context(), w.Current(), m)
		if err != nil {
			t.Fatal(err)
		}
		_, err = g.Commit(t.Context(), p, Confirm{Yes: true, By: "cli", Name: p.ConfirmName})
		return err
	}
	for _, to := range []int32{11, 12} {
		if err := do(change.Mutation{Op: change.OpMove, Policy: given.ANPKey("a"), Priority: float64(to)}); err != nil {
			t.Fatal(err)
		}
	}
	w.Edit(given.ANP("a", 11, "tenant=blue", "out deny tenant=red"))
	err := do(change.Mutation{Op: change.OpUndo})
	if err == nil || !strings.Contains(err.Error(), "nothing to undo: ANP a is already as before the change") {
		t.Fatal(err)
	}
	if got := w.Priority("a"); got != 11 {
		t.Errorf("priority %d", got)
	}
	// It is done with, also for whoever reads the file next.
	for _, h := range []*Gate{g, w.Gate(dir)} {
		if e, ok := h.Config.History.FindEntry(0); !ok || !strings.Contains(e.Title, "from 10 to 11") {
			t.Errorf("next to undo: %q, %v", e.Title, ok)
		}
	}
	if err := do(change.Mutation{Op: change.OpUndo}); err != nil {
		t.Fatal(err)
	}
	if got := w.Priority("a"); got != 10 {
		t.Errorf("priority %d", got)
	}
	// Put forward by hand, the redo has nothing to do.
	w.Edit(given.ANP("a", 11, "tenant=blue", "out deny tenant=red"))
	err = do(change.Mutation{Op: change.OpRedo})
	if err == nil || !strings.Contains(err.Error(), "nothing to redo: ANP a is already as after the change") {
		t.Error(err)
	}
	if _, ok := g.Config.History.FindRedo(); ok {
		t.Error("it is still to be redone")
	}
}
