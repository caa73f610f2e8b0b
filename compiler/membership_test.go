package compiler

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rung/model"
)

// TestEvents follows single events whose delta is easily got wrong.
func TestEvents(t *testing.T) {
	p := anp("p", 0, nsSubject(t, "t=a"), rule(model.Ingress, model.Allow, nil, nsPeer(t, "t=a")))
	cl, changes := (*model.Cluster)(nil).Upsert([]model.Object{namespace("a", "t=a"), p, pod("a/x", "", "n1", "10.0.0.1"), pod("a/y", "", "n1", "10.0.0.2")}, nil)
	c := New(Options{IPv4: true})
	c.Apply(cl, changes)
	step := func(upsert []model.Object, remove ...model.Key) (string, *Desired) {
		t.Helper()
		var changes []model.Change
		cl, changes = cl.Upsert(upsert, remove)
		des, delta := c.Apply(cl, changes)
		var out []string
		for _, m := range delta.Members {
			out = append(out, fmt.Sprintf("set +%v -%v", m.Add, m.Remove))
		}
		for _, m := range delta.Ports {
			out = append(out, fmt.Sprintf("%s +%v -%v", m.Zone, m.Add, m.Remove))
		}
		for k := range delta.Policies {
			out = append(out, k.Name)
		}
		slices.Sort(out)
		return strings.Join(out, "; "), des
	}
	replaced := pod("a/x", "", "n1", "10.0.0.1")
	replaced.UID = "2"
	for _, s := range []struct {
		name   string
		upsert []model.Object
		remove []model.Key
		want   string
	}{
		{"a pod moves to another node", []model.Object{pod("a/x", "", "n2", "10.0.0.1")}, nil, "n1 +[] -[a_x]; n2 +[a_x] -[]"},
		{"and back as another pod of that name", []model.Object{replaced}, []model.Key{replaced.Key}, "n1 +[a_x] -[]; n2 +[] -[a_x]"},
		{"the same again is no news", []model.Object{pod("a/x", "", "n1", "10.0.0.1")}, nil, ""},
		{"its address changes", []model.Object{pod("a/x", "", "n1", "10.0.0.9")}, nil, "set +[10.0.0.9] -[10.0.0.1]"},
		{"another pod takes it as well", []model.Object{pod("a/y", "", "n1", "10.0.0.9")}, nil, "set +[] -[10.0.0.2]"},
		{"the namespace goes before its pods", nil, []model.Key{{Kind: model.KindNamespace, Name: "a"}}, "n1 +[] -[a_x a_y]; set +[] -[10.0.0.9]"},
		{"a pod of no namespace goes", nil, []model.Key{{Kind: model.KindPod, Namespace: "a", Name: "y"}}, ""},
		{"the namespace is back", []model.Object{namespace("a", "t=a")}, nil, "n1 +[a_x] -[]; set +[10.0.0.9] -[]"},
		{"with another label", []model.Object{namespace("a", "t=a b=c")}, nil, ""},
		{"the policy goes", nil, []model.Key{p.Key}, "p"},
	} {
		if got, des := step(s.upsert, s.remove...); got != s.want {
			t.Errorf("%s: %q, want %q", s.name, got, s.want)
		} else if err := sameRows(s.name, Compile(cl, Options{IPv4: true}), des); err != nil {
			t.Error(err)
		}
	}
	if len(c.base.groups) != 0 || slices.ContainsFunc(c.desired.views, func(v *groupView) bool { return v != nil }) {
		t.Errorf("%d groups left, views %v: what no policy uses is forgotten", len(c.base.groups), c.desired.views)
	}
}

// TestSelectorsAreForgotten edits a policy for a long time, each time with
// selectors that were never seen before.
// TestNodeComesAndChangesInOneStep: what a node brings and loses in one step did
// not happen.
func TestNodeComesAndChangesInOneStep(t *testing.T) {
	p := anp("p", 0, nsSubject(t, "t=a"), rule(model.Egress, model.Allow, nil, nodePeer(t, "n=1")))
	cl, changes := (*model.Cluster)(nil).Upsert([]model.Object{namespace("a", "t=a"), p}, nil)
	c := New(Options{IPv4: true})
	c.Apply(cl, changes)
	cl, changes = cl.Upsert([]model.Object{node("x", "n=1", "10.0.0.1"), node("x", "n=2", "10.0.0.1")}, nil)
	des, delta := c.Apply(cl, changes)
	if len(changes) != 2 || len(delta.Members) != 0 {
		t.Errorf("%v: %+v", changes, delta.Members)
	}
	if err := sameRows("afterwards", Compile(cl, Options{IPv4: true}), des); err != nil {
		t.Error(err)
	}
}

func TestSelectorsAreForgotten(t *testing.T) {
	cl := clusterOf(namespace("a", "t=a"), pod("a/x", "", "n1", "10.0.0.1"), anp("stays", 1, nsSubject(t, "t=a")))
	c := New(Options{})
	c.Apply(cl, changesOfAll(cl))
	c.base.compactAt = 300
	var changes []model.Change
	all := 0
	for i := range 400 {
		p := anp("p", 0, nsSubject(t, fmt.Sprintf("t in (a,b%d)", i)), rule(model.Egress, model.Allow, nil, nodePeer(t, fmt.Sprintf("r=%d", i))))
		cl, changes = cl.Upsert([]model.Object{p}, nil)
		des, delta := c.Apply(cl, changes)
		if delta.Everything {
			all++
			if err := sameRows("compacted", Compile(cl, Options{}), des); err != nil {
				t.Fatal(err)
			}
		}
	}
	if all != 1 || c.base.selectors.SelectorCount() > 600 {
		t.Errorf("compacted %d times, %d selectors are known", all, c.base.selectors.SelectorCount())
	}
}
