package zones

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/bench/workload"
	"rung/compiler"
	"rung/model"
)

// All who are compared with the same rows get one list of a set's members; who is
// a step behind gets the list of its own rows.
func TestDiffersMembers(t *testing.T) {
	size := workload.Size{Nodes: 2, Namespaces: 10, Pods: 60, Policies: 3, Rules: 4, Peers: 2}
	c, err := workload.Cluster(size)
	if err != nil {
		t.Fatal(err)
	}
	var all []model.Change
	for o := range c.Objects() {
		all = append(all, model.Change{New: o})
	}
	comp := compiler.New(compiler.Options{})
	before, delta := comp.Apply(c, all)
	var l lazyDiffer
	l.addStep(before, delta, 1, nil)
	sets := func(d *compiler.Desired) (out []*compiler.SetSpec) {
		for p := range d.Policies() {
			out = append(out, p.Sets...)
		}
		return out
	}
	for _, s := range sets(before) {
		a, b := l.setMembers(before, s), l.setMembers(before, s)
		if len(a) > 0 && &a[0] != &b[0] {
			t.Errorf("%s is listed twice", s.Name)
		}
		if diff := cmp.Diff(before.SetMembers(s), a); diff != "" {
			t.Errorf("%s: %s", s.Name, diff)
		}
	}
	var one *model.Pod
	for one = range c.Pods() {
		break
	}
	next, changes := c.Upsert([]model.Object{workload.Pod(size, size.Pods, one.Labels)}, nil)
	after, delta := comp.Apply(next, changes)
	l.addStep(after, delta, 2, nil)
	grown := 0
	for _, s := range sets(after) {
		now, was := l.setMembers(after, s), l.setMembers(before, s)
		if diff := cmp.Diff(after.SetMembers(s), now); diff != "" {
			t.Errorf("%s after a pod came: %s", s.Name, diff)
		}
		if diff := cmp.Diff(before.SetMembers(s), was); diff != "" {
			t.Errorf("%s before the pod came: %s", s.Name, diff)
		}
		grown += len(now) - len(was)
	}
	if grown == 0 {
		t.Error("the pod is in no set")
	}
}
