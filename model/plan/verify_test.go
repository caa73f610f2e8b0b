package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestVerify(t *testing.T) {
	const start = "10 a; 20 b c; 30 d; 150 x"
	tests := []struct {
		name  string
		steps []Step
		want  string // part of the error
	}{
		{name: "no steps"},
		{name: "a move", steps: []Step{{Policy: "a", From: 10, To: 15}}},
		{name: "a tie moves", steps: []Step{{Policy: "b", From: 20, To: 25}, {Policy: "c", From: 20, To: 25}}},
		{name: "above the range among themselves", steps: []Step{{Policy: "x", From: 150, To: 100}}},
		{name: "unknown", steps: []Step{{Policy: "z", From: 1, To: 2}}, want: "step 1 (z 1 → 2): the policy is not on the ladder"},
		{name: "starts elsewhere", steps: []Step{{Policy: "a", From: 11, To: 2}}, want: "the policy is at 10"},
		{name: "stays", steps: []Step{{Policy: "a", From: 10, To: 10}}, want: "moves nothing"},
		{name: "inverts", steps: []Step{{Policy: "a", From: 10, To: 25}}, want: "inverts it with"},
		{name: "ties", steps: []Step{{Policy: "a", From: 10, To: 20}}, want: "ties it with b"},
		{name: "right in the end, wrong on the way", steps: []Step{{Policy: "a", From: 10, To: 35}, {Policy: "a", From: 35, To: 10}}, want: "step 1"},
		{name: "ties with one that is ahead of its tie", steps: []Step{{Policy: "c", From: 20, To: 25}, {Policy: "d", From: 30, To: 25}}, want: "step 2 (d 30 → 25): ties it with c"},
		{name: "leaves a tie parted", steps: []Step{{Policy: "c", From: 20, To: 25}}, want: "b (20) and c (25), tied before, are apart"},
		{name: "out of force", steps: []Step{{Policy: "d", From: 30, To: 100}}, want: "would no longer be enforced"},
		{name: "into force by accident", steps: []Step{{Policy: "x", From: 150, To: 40}}, want: "would become enforced"},
		{name: "out of the API's range", steps: []Step{{Policy: "x", From: 150, To: 1001}}, want: "must be 0–1000"},
		{name: "negative", steps: []Step{{Policy: "a", From: 10, To: -1}}, want: "must be 0–1000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := VerifySteps(tt.steps, slots(start), 99)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	if err := VerifySteps(nil, []Placement{{"a", 1}, {"a", 2}}, 99); err == nil {
		t.Error("a policy that stands twice is taken")
	}
}

// holds is the property spelled out pair by pair.
func holds(steps []Step, start []Placement, max int32) error {
	at := make([]int32, len(start))
	index := map[string]int{}
	for i, s := range start {
		at[i], index[s.Policy] = s.Priority, i
	}
	for i, s := range steps {
		at[index[s.Policy]] = s.To
		for j, a := range start {
			if (a.Priority > max) != (at[j] > max) {
				return fmt.Errorf("after step %d %s crossed %d", i+1, a.Policy, max)
			}
			for k, b := range start {
				if a.Priority < b.Priority && at[j] >= at[k] {
					return fmt.Errorf("after step %d %s (%d) does not decide before %s (%d)", i+1, a.Policy, at[j], b.Policy, at[k])
				}
			}
		}
	}
	return nil
}

// randomSlots has ties and, at times, policies above the range.
func randomSlots(r *rand.Rand, max int32) []Placement {
	var out []Placement
	for i := range 20 + r.IntN(60) {
		p := r.Int32N(max + 1)
		switch {
		case r.IntN(12) == 0:
			p = max + 1 + r.Int32N(5)
		case r.IntN(4) == 0 && len(out) > 0:
			p = out[r.IntN(len(out))].Priority
		case r.IntN(3) == 0: // crowded at one end
			p = max - r.Int32N(min(12, max))
		}
		out = append(out, Placement{fmt.Sprintf("p%02d", i), p})
	}
	return out
}

// increasing picks n rising numbers from 0 to max.
func increasing(r *rand.Rand, n int, max int32) []int32 {
	var out []int32
	for i := range r.Perm(int(max) + 1)[:n] {
		out = append(out, int32(i))
	}
	all := r.Perm(int(max) + 1)[:n]
	for i, v := range all {
		out[i] = int32(v)
	}
	slices.Sort(out)
	return out
}

func TestPlansKeepThePrefixProperty(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 7))
		max := []int32{99, 99, 40, 25}[r.IntN(4)]
		start := randomSlots(r, max)
		b, err := NewBoard(start, max)
		if err != nil {
			t.Fatal(err)
		}
		var p Plan
		switch kind := r.IntN(3); kind {
		case 0:
			step, at := b.WidestSpacing()
			p, err = b.Respace(1+r.Int32N(step), r.Int32N(at+1))
		case 1:
			to := increasing(r, len(b.supportedGroups()), max)
			groups := slices.Clone(b.groups)
			var then []Placement
			for i := range groups {
				g := &groups[i]
				g.to = g.from + 3
				if i < len(to) {
					g.to = to[i]
				}
				for _, m := range g.members {
					then = append(then, Placement{m, g.to})
				}
			}
			p, err = b.scheduleMoves(groups)
			if err == nil && show(p.Then) != show(then) {
				t.Fatalf("seed %d: arranged %s, want %s", seed, show(p.Then), show(then))
			}
		case 2:
			groups := b.supportedGroups()
			i := r.IntN(len(groups))
			above, below := groups[i].members[0], ""
			if i+1 < len(groups) {
				below = groups[i+1].members[0]
			}
			var in Insertion
			if in, err = b.InsertBetween(above, below); err == nil && in.ShiftPlan == nil {
				p = Plan{Now: b.Placements(), Then: b.Placements()}
			} else if err == nil {
				p = *in.ShiftPlan
			}
			if err == nil {
				hi := max + 1
				at, _ := NewBoard(p.Then, max)
				lo, _ := at.Priority(above)
				if below != "" {
					hi, _ = at.Priority(below)
				}
				if in.Priority <= lo || in.Priority >= hi {
					t.Fatalf("seed %d: %d is not between %d and %d", seed, in.Priority, lo, hi)
				}
			} else if b.FreeCount() == 0 {
				continue
			}
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if seed%5 == 0 { // slow; VerifySteps is held against it below
			if err := holds(p.Steps, start, max); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if err := VerifySteps(p.Steps, start, max); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		then, err := ReplaySteps(start, p.Steps)
		if err != nil || show(then) != show(p.Then) {
			t.Fatalf("seed %d: steps lead to %s, %v; want %s", seed, show(then), err, show(p.Then))
		}
		changed := 0
		for i, s := range p.Now {
			if j := slices.IndexFunc(p.Then, func(o Placement) bool { return o.Policy == s.Policy }); p.Then[j].Priority != p.Now[i].Priority {
				changed++
			}
		}
		if len(p.Steps) != changed {
			t.Fatalf("seed %d: %d steps for %d policies that move", seed, len(p.Steps), changed)
		}
	}
}

// Verify and the property spelled out agree about lists of steps that no
// planner made.
func TestVerifyAgainstThePropertySpelledOut(t *testing.T) {
	agreed := map[bool]int{}
	for seed := range uint64(5000) {
		r := rand.New(rand.NewPCG(seed, 8))
		start := slots("3 a; 6 b; 9 c; 15 d; 25 x")
		at := map[string]int32{"a": 3, "b": 6, "c": 9, "d": 15, "x": 25}
		var steps []Step
		for range 1 + r.IntN(4) {
			name := string("abcdx"[r.IntN(5)])
			to := r.Int32N(30)
			if r.IntN(3) > 0 {
				to = at[name] + r.Int32N(7) - 3
			}
			if to < 0 || to == at[name] {
				continue
			}
			steps = append(steps, Step{Policy: name, From: at[name], To: to})
			at[name] = to
		}
		naive, err := holds(steps, start, 20), VerifySteps(steps, start, 20)
		if (naive == nil) != (err == nil) {
			t.Fatalf("seed %d: %v says %v, spelled out %v", seed, showSteps(steps), err, naive)
		}
		agreed[err == nil]++
	}
	if agreed[true] < 500 || agreed[false] < 500 {
		t.Errorf("too one-sided to mean much: %v", agreed)
	}
}
