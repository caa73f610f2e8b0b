package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ladder"
)

// board reads "30 break-glass; 40 blue green".
func board(t *testing.T, text string, max int32) *Board {
	t.Helper()
	b, err := NewBoard(slots(text), max)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func slots(text string) []Placement {
	var out []Placement
	for rung := range strings.SplitSeq(text, ";") {
		f := strings.Fields(rung)
		for _, name := range f[min(1, len(f)):] {
			var p int32
			fmt.Sscan(f[0], &p)
			out = append(out, Placement{name, p})
		}
	}
	return out
}

func show(s []Placement) string {
	var b strings.Builder
	for i, x := range s {
		switch {
		case i == 0:
			fmt.Fprint(&b, x.Priority)
		case x.Priority != s[i-1].Priority:
			fmt.Fprint(&b, "; ", x.Priority)
		}
		fmt.Fprint(&b, " ", x.Policy)
	}
	return b.String()
}

func showSteps(steps []Step) []string {
	out := []string{}
	for _, s := range steps {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %d → %d %s", s.Policy, s.From, s.To, s.Note)))
	}
	return out
}

const sketch = "30 break-glass; 34 cluster-control; 40 blue green; 43 isolation; 60 metrics quarantine; 120 experimental"

func TestBoard(t *testing.T) {
	b := board(t, sketch, 99)
	if diff := cmp.Diff([]ladder.Gap{{From: 0, To: 29}, {From: 31, To: 33}, {From: 35, To: 39}, {From: 41, To: 42}, {From: 44, To: 59}, {From: 61, To: 99}}, b.FreeRuns()); diff != "" {
		t.Errorf("free runs (-want +got):\n%s", diff)
	}
	if room, ok := b.SmallestGap(); !ok || room != 2 || b.LargestGap() != 39 || b.FreeCount() != 95 {
		t.Errorf("smallest %d %v, largest %d, free %d", room, ok, b.LargestGap(), b.FreeCount())
	}
	if room, ok := board(t, "1 a; 2 b; 9 c", 99).SmallestGap(); !ok || room != 0 {
		t.Errorf("smallest gap of neighbours that touch: %d %v", room, ok)
	}
	if _, ok := board(t, "1 a; 120 b", 99).SmallestGap(); ok {
		t.Error("one supported priority has a gap between")
	}
	if p, ok := b.Priority("green"); !ok || p != 40 {
		t.Errorf("green at %d %v", p, ok)
	}
	if got := show(b.Placements()); got != sketch {
		t.Errorf("slots %s", got)
	}
	for _, bad := range []string{"1 a; 2 a", "1001 a", "-1 a"} {
		if _, err := NewBoard(slots(bad), 99); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if _, err := NewBoard([]Placement{{"", 1}}, 99); err == nil {
		t.Error("a policy without a name is taken")
	}
	if _, err := NewBoard(nil, 2000); err == nil {
		t.Error("a largest priority of 2000 is taken")
	}
}

func TestFromCluster(t *testing.T) {
	c, _ := (*model.Cluster)(nil).Upsert([]model.Object{
		&model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindANP, Name: "a"}}, Priority: 7},
		&model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindBANP, Name: "default"}}},
	}, nil)
	b, err := BoardOfCluster(c, 99, false)
	if err != nil || show(b.Placements()) != "7 a" || b.Max() != 99 {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestRespace(t *testing.T) {
	var packed strings.Builder
	for i := range 100 {
		fmt.Fprintf(&packed, "%d p%d;", i, i)
	}
	tests := []struct {
		name, now   string
		step, start int32
		then        string
		steps       []string
		notes       []string
		err         string
	}{
		{name: "the sketch", now: sketch, step: 10, start: 10,
			then: "10 break-glass; 20 cluster-control; 30 blue green; 40 isolation; 50 metrics quarantine; 120 experimental",
			steps: []string{"break-glass 30 → 10", "cluster-control 34 → 20",
				"blue 40 → 30 tie broken until step 4: blue (30) comes before green (40)", "green 40 → 30 tied again at 30", "isolation 43 → 40",
				"metrics 60 → 50 tie broken until step 7: metrics (50) comes before quarantine (60)", "quarantine 60 → 50 tied again at 50"},
			notes: []string{"7 steps; at no step do two policies swap order or become newly tied", "a tie is broken during step 3",
				"a tie is broken during step 6", "experimental stays at 120: above 99, not enforced"}},
		{name: "to the right the last goes first", now: "1 a; 2 b; 3 c", step: 1, start: 2, then: "2 a; 3 b; 4 c",
			steps: []string{"c 3 → 4", "b 2 → 3", "a 1 → 2"}, notes: []string{"3 steps; at no step do two policies swap order or become newly tied"}},
		{name: "both ways", now: "1 a; 2 b; 3 c; 97 d; 98 e; 99 f", step: 10, start: 0, then: "0 a; 10 b; 20 c; 30 d; 40 e; 50 f",
			steps: []string{"c 3 → 20", "b 2 → 10", "a 1 → 0", "d 97 → 30", "e 98 → 40", "f 99 → 50"},
			notes: []string{"6 steps; at no step do two policies swap order or become newly tied"}},
		{name: "a tie of four", now: "1 a b c d", step: 5, start: 9, then: "9 a b c d",
			steps: []string{"a 1 → 9 tie broken until step 4: of a, b, c and d, those at 1 come before those at 9", "b 1 → 9",
				"c 1 → 9", "d 1 → 9 tied again at 9"},
			notes: []string{"4 steps; at no step do two policies swap order or become newly tied", "a tie is broken during steps 1–3"}},
		{name: "nothing to do", now: "10 a; 20 b", step: 10, start: 10, then: "10 a; 20 b", steps: []string{},
			notes: []string{"nothing to apply: already in this order"}},
		{name: "nobody", now: "", step: 10, start: 10, then: "", steps: []string{}, notes: []string{"nothing to apply: already in this order"}},
		{name: "packed and staying", now: packed.String(), step: 1, start: 0, then: strings.TrimSuffix(strings.ReplaceAll(packed.String(), ";", "; "), "; "),
			steps: []string{}, notes: []string{"nothing to apply: already in this order"}},
		{name: "packed", now: packed.String(), step: 2, start: 0,
			err: "no room: 100 priorities with step 2, starting at 0 end at 198; 99 is the last enforced one; largest possible: step 1, starting at 0"},
		{name: "start too late", now: "1 a; 2 b", step: 10, start: 95,
			err: "no room: 2 priorities with step 10, starting at 95 end at 105; 99 is the last enforced one; start at 89 or less"},
		{name: "no step", now: "1 a", step: 0, start: 1, err: "step 0: priorities must be at least 1 apart"},
		{name: "no start", now: "1 a", step: 1, start: -1, err: "start -1: the first priority is 0"},
		{name: "far too wide", now: "1 a; 2 b; 3 c", step: 2_000_000_000, start: 2_000_000_000,
			err: "no room: 3 priorities with step 2000000000, starting at 2000000000 end at 6000000000; 99 is the last enforced one; largest possible: step 49, starting at 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := board(t, tt.now, 99).Respace(tt.step, tt.start)
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Fatalf("error %v, want %s", err, tt.err)
				}
				if strings.HasPrefix(tt.err, "no room") != errors.Is(err, ErrNoSpace) {
					t.Errorf("%v is ErrNoRoom: %v", err, errors.Is(err, ErrNoSpace))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := []any{show(p.Then), showSteps(p.Steps), p.Notes, VerifySteps(p.Steps, p.Now, p.Max)}
			if diff := cmp.Diff([]any{tt.then, tt.steps, tt.notes, error(nil)}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What is proposed first is step 10 where it fits, and what somebody names is started as
// far down as there is room.
func TestSpacing(t *testing.T) {
	eleven := "1 a; 2 b; 3 c; 4 d; 5 e; 6 f; 7 g; 8 h; 9 i; 10 j; 11 k"
	for now, want := range map[string]string{"": "step 10, starting at 10", sketch: "step 10, starting at 10",
		eleven: "step 9, starting at 9", "5 a; 6 b": "step 10, starting at 10"} {
		b := board(t, now, 99)
		if got := b.UsualSpacing().String(); got != want {
			t.Errorf("%q: %s, want %s", now, got, want)
		}
		if at := b.UsualSpacing(); now != "" {
			if p, err := b.Respace(at.Step, at.Start); err != nil || p.Title != "re-space: "+want {
				t.Errorf("%q: %q, %v", now, p.Title, err)
			}
		}
	}
	b := board(t, sketch, 99) // five priorities
	for step, want := range map[int32]int32{1: 1, 20: 19, 24: 3, 25: 0, 2_000_000_000: 0} {
		if got := b.SpacingOfStep(step); got != (Spacing{step, want}) {
			t.Errorf("%v, want it to start at %d", got, want)
		}
	}
	if got := b.LargestSpacingText(); got != "Largest possible: step 24, starting at 3" {
		t.Error(got)
	}
}

func TestWidest(t *testing.T) {
	for now, want := range map[string][2]int32{"": {0, 0}, "5 a": {99, 99}, "5 a; 6 b": {99, 0}, sketch: {24, 3},
		"1 a; 2 b; 3 c; 4 d; 5 e; 6 f; 7 g; 8 h; 9 i; 10 j": {11, 0}} {
		b := board(t, now, 99)
		step, start := b.WidestSpacing()
		if [2]int32{step, start} != want {
			t.Errorf("%q: step %d from %d, want %v", now, step, start, want)
		}
		if step > 0 {
			if _, err := b.Respace(step, start); err != nil {
				t.Errorf("%q: %v", now, err)
			}
			if _, err := b.Respace(step+1, 0); len(b.groups) > 1 && now != "5 a" && err == nil {
				t.Errorf("%q: a wider step than %d fits", now, step)
			}
		}
	}
}

func TestInsert(t *testing.T) {
	full := "0 a b; 1 c; 2 d; 3 e"
	tests := []struct {
		name, now    string
		above, below string
		at           int32
		steps        []string
		err          string
	}{
		{name: "the middle of what is free", now: sketch, above: "cluster-control", below: "blue", at: 37},
		{name: "before everything", now: sketch, below: "break-glass", at: 14},
		{name: "after everything that is enforced", now: sketch, above: "quarantine", at: 80},
		{name: "before one above the range", now: sketch, above: "quarantine", below: "experimental", at: 80},
		{name: "the widest run between two", now: sketch, above: "break-glass", below: "metrics", at: 51},
		{name: "anywhere", now: "", at: 49},
		{name: "the lower gives way", now: "5 a; 6 b; 8 c", above: "a", below: "b", at: 6, steps: []string{"b 6 → 7"}},
		{name: "the upper gives way when fewer move", now: "5 a; 6 b c; 8 d", above: "a", below: "b", at: 5, steps: []string{"a 5 → 4"}},
		{name: "a whole run gives way, its end first", now: "0 a; 1 b; 2 c; 3 d", above: "a", below: "b", at: 1,
			steps: []string{"d 3 → 4", "c 2 → 3", "b 1 → 2"}},
		{name: "at the end of the range", now: "97 a; 98 b; 99 c", above: "b", below: "c", at: 98, steps: []string{"a 97 → 96", "b 98 → 97"}},
		{name: "after the last priority", now: "98 a; 99 b", above: "b", at: 99, steps: []string{"a 98 → 97", "b 99 → 98"}},
		{name: "one above the range stays there", now: "98 a; 99 b; 100 c", above: "a", below: "b", at: 98, steps: []string{"a 98 → 97"}},
		{name: "between two with others between", now: "5 a; 6 b; 7 c", above: "a", below: "c", at: 7, steps: []string{"c 7 → 8"}},
		{name: "full", now: full, above: "a", below: "c", err: "no room: all 4 supported priorities are in use; join two policies' priorities or remove a policy"},
		{name: "full, before everything", now: full, below: "a", err: "no room: all 4 supported priorities are in use; join two policies' priorities or remove a policy"},
		{name: "a tie", now: sketch, above: "blue", below: "green", err: "blue and green share priority 40, so nothing fits between them: lower rule numbers decide first, and which of two rules with the same number wins is undefined"},
		{name: "turned round", now: sketch, above: "metrics", below: "green", err: "metrics (60) comes after green (40), not before"},
		{name: "unknown", now: sketch, above: "nobody", err: "policy nobody is not on the ladder"},
		{name: "above the range", now: sketch, above: "experimental", err: "experimental has priority 120: nothing after 99 is enforced"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			max := int32(99)
			if tt.now == full {
				max = 3
			}
			in, err := board(t, tt.now, max).InsertBetween(tt.above, tt.below)
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Fatalf("error %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var steps []string
			if in.ShiftPlan != nil {
				steps = showSteps(in.ShiftPlan.Steps)
				if err := VerifySteps(in.ShiftPlan.Steps, in.ShiftPlan.Now, max); err != nil {
					t.Error(err)
				}
			}
			if diff := cmp.Diff([]any{tt.at, tt.steps}, []any{in.Priority, steps}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Targets that would change the order are refused.
func TestScheduleKeepsTheOrder(t *testing.T) {
	b := board(t, "5 a; 6 b c; 120 d", 99)
	for _, to := range [][]int32{{3, 2, 200}, {2, 2, 200}} {
		groups := slices.Clone(b.groups)
		for i := range groups {
			groups[i].to = to[i]
		}
		if _, err := b.scheduleMoves(groups); err == nil || err.Error() != "b would no longer decide after a" {
			t.Errorf("%v: %v", to, err)
		}
	}
}

// What is free below a policy is never less than nothing: members of a tie say so, also
// while a plan has moved only some of them.
func TestRoomBelow(t *testing.T) {
	b := board(t, "30 break-glass; 40 blue; 65 green; 120 far", 99)
	half := b.WithMoved(map[string]int32{"green": 40}) // on its way to blue
	for _, tt := range []struct {
		b      *Board
		policy string
		want   string
	}{
		{b, "break-glass", "9"}, {b, "blue", "24"}, {b, "green", "34"}, {b, "far", ""}, {b, "nobody", ""},
		{half, "break-glass", "9"}, {half, "blue", Tie}, {half, "green", "59"}, {half, "far", ""},
		{b.WithMoved(map[string]int32{"blue": 31, "green": 99}), "break-glass", "0"},
		{b.WithMoved(map[string]int32{"green": 99}), "green", "0"},
		{b.WithMoved(map[string]int32{"green": 100}), "blue", "59"},
		{b.WithMoved(map[string]int32{"green": -1}), "blue", "24"}, // nobody can have it
	} {
		if got := tt.b.GapBelow(tt.policy); got != tt.want {
			t.Errorf("%s on %s: %q, want %q", tt.policy, show(tt.b.Placements()), got, tt.want)
		}
	}
}

// TestTieNotes: the way back breaks the ties as the way there does, also from the middle of
// one.
func TestTieNotes(t *testing.T) {
	b, err := NewBoard([]Placement{{"a", 10}, {"b", 20}, {"c", 20}, {"d", 20}, {"e", 60}}, 99)
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.Respace(5, 5)
	if err != nil {
		t.Fatal(err)
	}
	for done, want := range map[int][]string{0: nil, 1: nil, 2: {"a tie is broken during step 1"}, 3: {"a tie is broken during step 1"},
		4: {"a tie is broken during steps 1–2"}, 5: {"a tie is broken during steps 2–3"}} {
		at, err := ReplaySteps(p.Now, p.Steps[:done])
		if err != nil {
			t.Fatal(err)
		}
		if got := TieNotes(at, p.stepsBetween(done, 0), 1); !slices.Equal(got, want) {
			t.Errorf("rolling back from %d: %q, want %q", done, got, want)
		}
	}
	if got, want := TieNotes(p.Now, p.Steps, 1), p.Notes[1:2]; !slices.Equal(got, want) {
		t.Errorf("the way there: %q, want %q", got, want)
	}
}

// A step that is larger than the range fits nothing, not even a single priority.
func TestStepBeyondTheRange(t *testing.T) {
	for _, now := range []string{"5 a", "5 a; 5 b"} {
		s := board(t, now, 99).SpacingOfStep(200)
		if _, err := board(t, now, 99).Respace(s.Step, s.Start); !errors.Is(err, ErrNoSpace) || !strings.Contains(err.Error(), "step 200 is too large, priorities end at 99; largest possible: step 99, starting at 99") {
			t.Errorf("%q: %v", now, err)
		}
	}
}
