package model

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func podNamedIn(ns, name, uid string) *Pod {
	return &Pod{Meta: Meta{Key: Key{Kind: KindPod, Namespace: ns, Name: name}, UID: uid}}
}

// TestUpsert holds what the compiler and everybody who follows changes rely on.
func TestUpsert(t *testing.T) {
	a1, a2, b := podNamedIn("n", "a", "1"), podNamedIn("n", "a", "2"), podNamedIn("n", "b", "1")
	for _, tt := range []struct {
		name   string
		have   []Object
		upsert []Object
		remove []Key
		want   []Change
		keep   []Object
	}{
		{"new", nil, []Object{a1}, nil, []Change{{New: a1}}, []Object{a1}},
		{"the same pointer", []Object{a1}, []Object{a1}, nil, nil, []Object{a1}},
		{"replaced", []Object{a1}, []Object{a2}, nil, []Change{{a1, a2}}, []Object{a2}},
		{"twice in one step", nil, []Object{a1, a2}, nil, []Change{{New: a1}, {a1, a2}}, []Object{a2}},
		{"removed", []Object{a1, b}, nil, []Key{a1.Key}, []Change{{Old: a1}}, []Object{b}},
		{"removed, never there", []Object{b}, nil, []Key{a1.Key}, nil, []Object{b}},
		{"removed twice", []Object{a1}, nil, []Key{a1.Key, a1.Key}, []Change{{Old: a1}}, nil},
		{"removed and put in", []Object{a1}, []Object{a2}, []Key{a1.Key}, []Change{{Old: a1}, {New: a2}}, []Object{a2}},
		{"nothing", []Object{a1}, []Object{nil}, nil, nil, []Object{a1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, _ := (*Cluster)(nil).Upsert(tt.have, nil)
			next, changes := before.Upsert(tt.upsert, tt.remove)
			if diff := cmp.Diff(tt.want, changes, cmpopts.EquateEmpty(), cmp.Comparer(func(a, b Object) bool { return a == b })); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if got := slices.Collect(next.Objects()); !slices.Equal(got, tt.keep) {
				t.Errorf("%v are there, want %v", got, tt.keep)
			}
			if got := slices.Collect(before.Objects()); !slices.Equal(got, tt.have) {
				t.Errorf("the cluster before changed: %v", got)
			}
			if same := next == before; same != (len(tt.want) == 0) {
				t.Errorf("the same cluster: %v", same)
			}
		})
	}
}

// TestWalks: the walks keep to their kind and namespace, in order, whatever the
// names are like.
func TestWalks(t *testing.T) {
	var objects []Object
	for _, ns := range []string{"a", "ab", "a-b", "b"} {
		for i := range 3 {
			objects = append(objects, podNamedIn(ns, fmt.Sprint("p", i), ""))
		}
		objects = append(objects, &Namespace{Meta{Key: Key{Kind: KindNamespace, Name: ns}}})
	}
	objects = append(objects, &Policy{Meta: Meta{Key: Key{Kind: KindANP, Name: "a/b"}}}, &Policy{Meta: Meta{Key: Key{Kind: KindNP, Namespace: "a", Name: "b"}}},
		&Policy{Meta: Meta{Key: Key{Kind: KindBANP, Name: "default"}}}, &Policy{Meta: Meta{Key: Key{Kind: KindEF, Namespace: "b", Name: "default"}}})
	c, _ := (*Cluster)(nil).Upsert(objects, nil)
	var got []string
	for p := range c.PodsIn("a") {
		got = append(got, p.Namespace+"/"+p.Name)
	}
	if diff := cmp.Diff([]string{"a/p0", "a/p1", "a/p2"}, got); diff != "" {
		t.Error(diff)
	}
	got = nil
	for p := range c.AllPolicies() {
		got = append(got, p.Key.String())
	}
	if diff := cmp.Diff([]string{"AdminNetworkPolicy/a/b", "BaselineAdminNetworkPolicy/default", "NetworkPolicy/a/b", "EgressFirewall/b/default"}, got); diff != "" {
		t.Error(diff)
	}
	if c.Count(KindPod) != 12 || c.Count(KindNamespace) != 4 || c.Count(KindNode) != 0 {
		t.Errorf("%d pods, %d namespaces", c.Count(KindPod), c.Count(KindNamespace))
	}
	for p := range c.Pods() { // ends early without harm
		if p.Namespace == "b" {
			break
		}
	}
	if c.Policy(Key{Kind: KindPod, Namespace: "a", Name: "p0"}) != nil || c.Pod("a", "p9") != nil || c.Get(Key{}) != nil {
		t.Error("something was found that is not there")
	}
}

// TestEmptyCluster: nil and the zero value are empty clusters.
func TestEmptyCluster(t *testing.T) {
	for _, c := range []*Cluster{nil, {}} {
		if c.Pod("a", "b") != nil || c.Count(KindPod) != 0 || len(slices.Collect(c.Objects())) != 0 || len(slices.Collect(c.AllPolicies())) != 0 {
			t.Error("something is in an empty cluster")
		}
		if next, changes := c.Upsert(nil, nil); next == nil || len(changes) > 0 {
			t.Errorf("%v %v", next, changes)
		}
	}
}
