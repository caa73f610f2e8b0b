package selectors

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"rung/model"
	"rung/test/made"
)

var asked = []string{"*", "a=1", "a in (1,2)", "!a", "b=0,a notin (1)", "b", "c notin (2)"}

func labelsOf(n int) model.Labels {
	return made.NS("x", fmt.Sprintf("a=%d,b=%d", n%4, n/4%3)).Labels
}

// One goroutine follows a cluster, others ask: what the index says is what the
// selector says of the labels, whoever found out first.
func TestIndexWhileItIsFollowed(t *testing.T) {
	var x Index
	check := func(c *Class, sel model.Selector) {
		if got, want := c.Matches(x.InternSelector(sel)), sel.Matches(c.Labels()); got != want {
			t.Errorf("%s matches %s: %v, want %v", sel, c.Labels(), got, want)
		}
	}
	var wg sync.WaitGroup
	for seed := range uint64(3) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, 3))
			for range 2000 {
				check(x.ClassOfLabels(labelsOf(r.IntN(12))), made.Sel(asked[r.IntN(len(asked))]))
				check(x.ClassOfLabels(labelsOf(r.IntN(12))), model.Selector{})
			}
		})
	}
	r := rand.New(rand.NewPCG(9, 3))
	var held []*Class
	for range 2000 {
		if len(held) > 0 && r.IntN(2) == 0 {
			i := r.IntN(len(held))
			x.ReleaseClass(held[i])
			held = append(held[:i], held[i+1:]...)
			continue
		}
		held = append(held, x.AcquireClass(labelsOf(r.IntN(12))))
		check(held[len(held)-1], made.Sel(asked[r.IntN(len(asked))]))
	}
	wg.Wait()
	if x.SelectorCount() != len(asked)+1 {
		t.Errorf("%d selectors, want %d", x.SelectorCount(), len(asked)+1)
	}
}

// Equal label sets are one class until the last has released it, and equal selectors one
// selector; one of everything is not one of nothing.
func TestIdentity(t *testing.T) {
	var x Index
	a, b := x.AcquireClass(labelsOf(1)), x.AcquireClass(labelsOf(1))
	if a != b || x.HeldClass(labelsOf(1)) != a || x.ClassOfLabels(labelsOf(1)) != a || x.AcquireClass(labelsOf(2)) == a {
		t.Error("equal labels have several classes, or different ones have one")
	}
	x.ReleaseClass(a)
	if x.HeldClass(labelsOf(1)) != a {
		t.Error("a class is gone while somebody holds it")
	}
	x.ReleaseClass(b)
	x.ReleaseClass(nil)
	if x.HeldClass(labelsOf(1)) != nil {
		t.Error("a class that nobody holds is still there")
	}
	if x.InternSelector(made.Sel("a=1,b=2")) != x.InternSelector(made.Sel("b=2,a=1")) || x.InternSelector(made.Sel("*")) == x.InternSelector(model.Selector{}) {
		t.Error("equal selectors are several, or different ones are one")
	}
}

// A table that is too short for a selector grows and keeps what it knew.
func TestManySelectors(t *testing.T) {
	var x Index
	c := x.AcquireClass(labelsOf(5)) // a=1, b=1
	for round := range 2 {
		for i := range 100 {
			s := x.InternSelector(made.Sel(fmt.Sprintf("a in (1,x%d),b notin (%d)", i, i)))
			if got, want := c.Matches(s), i != 1; got != want {
				t.Errorf("round %d: %s: %v, want %v", round, s, got, want)
			}
		}
	}
}
