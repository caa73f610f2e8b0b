package radix

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// version is a tree and what it has to hold for ever.
type version struct {
	tree *Tree[int]
	want map[string]int
}

// check compares all that can be asked of a tree with the map.
func (v version) check(t *testing.T, ask []string) {
	t.Helper()
	if v.tree.Len() != len(v.want) {
		t.Fatalf("%d entries, want %d", v.tree.Len(), len(v.want))
	}
	keys := slices.Sorted(maps.Keys(v.want))
	for _, prefix := range append(ask, "") {
		var got, want []string
		for k, n := range v.tree.Prefix([]byte(prefix)) {
			got = append(got, fmt.Sprintf("%q=%d", k, n))
		}
		for _, k := range keys {
			if strings.HasPrefix(k, prefix) {
				want = append(want, fmt.Sprintf("%q=%d", k, v.want[k]))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("below %q (-want +got)\n%s", prefix, diff)
		}
		n, ok := v.tree.Get([]byte(prefix))
		if m, there := v.want[prefix]; n != m || ok != there {
			t.Fatalf("%q is %d, %t; want %d, %t", prefix, n, ok, m, there)
		}
	}
	if v.tree != nil {
		shape(t, v.tree.root, 0)
	}
}

// shape checks what keeps a tree small: no node without a reason, edges in order.
func shape(t *testing.T, n *node[int], depth int) {
	t.Helper()
	if n == nil {
		return
	}
	if n.from != depth || n.to < n.from || n.leaf && n.to != len(n.key) || !n.leaf && len(n.edges) < 2 {
		t.Fatalf("node %q at %d reads [%d:%d], leaf %t, %d edges", n.key, depth, n.from, n.to, n.leaf, len(n.edges))
	}
	for i, e := range n.edges {
		if e.label != e.node.key[n.to] || e.node.key[:n.to] != n.key[:n.to] || i > 0 && n.edges[i-1].label >= e.label {
			t.Fatalf("edge %d of %q is %q to %q", i, n.key, e.label, e.node.key)
		}
		shape(t, e.node, n.to)
	}
}

// Random histories: every version stays what it was, whatever is made of it.
func TestHistories(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		word := func() string {
			b := make([]byte, rng.IntN(6))
			for i := range b {
				b[i] = "ab\x00\xff"[rng.IntN(4)]
			}
			return string(b)
		}
		versions := []version{{nil, map[string]int{}}, {&Tree[int]{}, map[string]int{}}}
		var words []string
		for range 12 {
			v := versions[rng.IntN(len(versions))]
			x, want := v.tree.Txn(), maps.Clone(v.want)
			for range rng.IntN(30) {
				k := word()
				words = append(words, k)
				was, there := want[k]
				var old int
				var had bool
				if rng.IntN(3) > 0 {
					want[k] = rng.Int()
					key := []byte(k)
					old, had = x.Insert(key, want[k])
					for i := range key {
						key[i] = '?' // the caller's again
					}
				} else {
					delete(want, k)
					old, had = x.Delete([]byte(k))
				}
				if old != was || had != there {
					t.Fatalf("seed %d: %q was %d, %t; want %d, %t", seed, k, old, had, was, there)
				}
				n, ok := x.Get([]byte(k))
				if m, is := want[k]; n != m || ok != is {
					t.Fatalf("seed %d: %q is %d, %t; want %d, %t", seed, k, n, ok, m, is)
				}
				if rng.IntN(10) == 0 {
					versions = append(versions, version{x.Commit(), maps.Clone(want)})
				}
			}
			versions = append(versions, version{x.Commit(), want})
		}
		for _, v := range versions {
			v.check(t, words[:min(len(words), 20)])
		}
	}
}

func TestFirst(t *testing.T) {
	x := (*Tree[int])(nil).Txn()
	for i, k := range []string{"b2", "a9", "b1", "b", "c"} {
		x.Insert([]byte(k), i)
	}
	var asked []string
	key, val, ok := x.First([]byte("b"), func(k string, _ int) bool {
		asked = append(asked, k)
		return len(k) > 1
	})
	if key != "b1" || val != 2 || !ok || len(asked) != 2 {
		t.Errorf("%q %d %t after %q", key, val, ok, asked)
	}
	if key, _, ok := x.First([]byte("d"), func(string, int) bool { return true }); ok {
		t.Errorf("below d there is %q", key)
	}
}

// A walk may be left, and a lookup leaves nothing to collect.
func TestWalkAndLookup(t *testing.T) {
	x := (&Tree[int]{}).Txn()
	for i := range 1000 {
		x.Insert(fmt.Appendf(nil, "row-%04d", i), i)
	}
	tree, n := x.Commit(), 0
	for range tree.Prefix(nil) {
		if n++; n == 10 {
			break
		}
	}
	if n != 10 {
		t.Errorf("%d entries before the walk was left", n)
	}
	key := bytes.Clone([]byte("row-0500"))
	if got := testing.AllocsPerRun(100, func() { tree.Get(key) }); got != 0 {
		t.Errorf("a lookup makes %v allocations", got)
	}
	if got := testing.AllocsPerRun(100, func() { x := tree.Txn(); x.Delete([]byte("none")); x.Commit() }); got > 4 {
		t.Errorf("deleting nothing makes %v allocations", got)
	}
}
