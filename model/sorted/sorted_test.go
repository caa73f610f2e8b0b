package sorted

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// version is a map and what it has to hold for ever.
type version struct {
	of   *Map[int]
	want map[string]int
}

// check compares all that can be asked of a Map with the map it should be.
func (v version) check(t *testing.T, ask []string) {
	t.Helper()
	if v.of.Len() != len(v.want) {
		t.Fatalf("%d entries, want %d", v.of.Len(), len(v.want))
	}
	keys := slices.Sorted(maps.Keys(v.want))
	for _, prefix := range append(ask, "") {
		var got, want []string
		for k, n := range v.of.Prefix(prefix) {
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
		n, ok := v.of.Get(prefix)
		if m, there := v.want[prefix]; n != m || ok != there {
			t.Fatalf("%q is %d, %t; want %d, %t", prefix, n, ok, m, there)
		}
	}
}

// Random histories: every version stays what it was, whatever is made of it.
func TestHistories(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		word := func() string {
			b := make([]byte, rng.IntN(6))
			for i := range b {
				b[i] = "ab\x00\xff"[rng.IntN(4)]
			}
			return string(b)
		}
		versions := []version{{nil, map[string]int{}}, {&Map[int]{}, map[string]int{}}}
		var words []string
		for range 12 {
			v := versions[rng.IntN(len(versions))]
			x, want := v.of.Txn(), maps.Clone(v.want)
			for range rng.IntN(300) {
				k := word()
				words = append(words, k)
				was, there := want[k]
				var old int
				var had bool
				if rng.IntN(3) > 0 {
					want[k] = rng.Int()
					old, had = x.Set(k, want[k])
				} else {
					delete(want, k)
					old, had = x.Delete(k)
				}
				if old != was || had != there {
					t.Fatalf("seed %d: %q was %d, %t; want %d, %t", seed, k, old, had, was, there)
				}
				n, ok := x.Get(k)
				if m, is := want[k]; n != m || ok != is {
					t.Fatalf("seed %d: %q is %d, %t; want %d, %t", seed, k, n, ok, m, is)
				}
				if rng.IntN(100) == 0 {
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
	x := (*Map[int])(nil).Txn()
	for i, k := range []string{"b2", "a9", "b1", "b", "c"} {
		x.Set(k, i)
	}
	var asked []string
	key, val, ok := x.FirstFitting("b", func(k string, _ int) bool {
		asked = append(asked, k)
		return len(k) > 1
	})
	if key != "b1" || val != 2 || !ok || len(asked) != 2 {
		t.Errorf("%q %d %t after %q", key, val, ok, asked)
	}
	if key, _, ok := x.FirstFitting("d", func(string, int) bool { return true }); ok {
		t.Errorf("below d there is %q", key)
	}
}

// A walk may be left, and a lookup leaves nothing to collect.
func TestWalkAndLookup(t *testing.T) {
	x := (&Map[int]{}).Txn()
	for i := range 1000 {
		x.Set(fmt.Sprintf("row-%04d", i), i)
	}
	m, n := x.Commit(), 0
	for range m.Prefix("") {
		n++
		if n == 10 {
			break
		}
	}
	if n != 10 {
		t.Errorf("%d entries before the walk was left", n)
	}
	if got := testing.AllocsPerRun(100, func() { m.Get("row-0500") }); got != 0 {
		t.Errorf("a lookup makes %v allocations", got)
	}
	if got := testing.AllocsPerRun(100, func() { x := m.Txn(); x.Delete("none"); x.Commit() }); got > 4 {
		t.Errorf("deleting nothing makes %v allocations", got)
	}
}

// What has been committed is written to by nobody: that is what the race detector
// looks for here. Any number of goroutines read one version and make the next of
// it, each its own, while the transaction that committed it goes on.
func TestVersionsAtOnce(t *testing.T) {
	const n, goroutines = 2000, 8
	x := (*Map[int])(nil).Txn()
	want := map[string]int{}
	for i := range n {
		k := fmt.Sprintf("row-%04d", i)
		x.Set(k, i)
		want[k] = i
	}
	shared := version{x.Commit(), want}
	ends := make([]version, goroutines)
	var all sync.WaitGroup
	all.Go(func() {
		for i := range n {
			x.Set(fmt.Sprintf("row-%04d", i), -1)
		}
	})
	for g := range goroutines {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 2))
			mine := version{shared.of, maps.Clone(want)}
			for range 40 {
				x := mine.of.Txn()
				for range 20 {
					k := fmt.Sprintf("row-%04d", rng.IntN(2*n))
					if rng.IntN(2) == 0 {
						mine.want[k] = g
						x.Set(k, g)
					} else {
						delete(mine.want, k)
						x.Delete(k)
					}
					shared.of.Get(k)
				}
				mine.of = x.Commit()
				i := 0
				for range shared.of.Prefix("row-1") {
					i++
				}
				if i != n/2 {
					t.Errorf("%d entries below row-1, want %d", i, n/2)
				}
			}
			ends[g] = mine
		})
	}
	all.Wait()
	for _, v := range append(ends, shared) {
		v.check(t, []string{"row-0", "row-12", "row-3999", "s"})
	}
}
