package plan

import (
	"fmt"
	"slices"

	"rung/model/words"
)

// Pair are two policies; First decides before Second where that matters.
type Pair struct {
	First  string
	Second string
}

// Difference is what an arrangement changes about who decides.
type Difference struct {
	Inverted []Pair   // order turned round; in the new order
	Tied     []Pair   // apart before, tied then
	Parted   []Pair   // tied before, apart then; in the new order
	Enforced []string // come into force
	Released []string // are not enforced any more
}

// None says whether nothing changes about who decides.
func (d *Difference) None() bool {
	return len(d.Inverted)+len(d.Tied)+len(d.Parted)+len(d.Enforced)+len(d.Released) == 0
}

// Compare says what changes between two arrangements of the policies that both
// have. Pairs are by the order of now.
func Compare(now, then []Slot, max int32) Difference {
	var d Difference
	to := make(map[string]int32, len(then))
	for _, s := range then {
		to[s.Policy] = s.Priority
	}
	now = slices.DeleteFunc(slices.Clone(now), func(s Slot) bool { _, ok := to[s.Policy]; return !ok })
	sortSlots(now)
	for i, a := range now {
		switch in, was := to[a.Policy] <= max, a.Priority <= max; {
		case in && !was:
			d.Enforced = append(d.Enforced, a.Policy)
		case was && !in:
			d.Released = append(d.Released, a.Policy)
		}
		for _, b := range now[i+1:] {
			pair := Pair{a.Policy, b.Policy}
			if to[b.Policy] < to[a.Policy] {
				pair = Pair{b.Policy, a.Policy}
			}
			tied, apart := to[a.Policy] == to[b.Policy], a.Priority != b.Priority
			switch {
			case apart && tied:
				d.Tied = append(d.Tied, pair)
			case apart && to[a.Policy] > to[b.Policy]:
				d.Inverted = append(d.Inverted, pair)
			case !apart && !tied:
				d.Parted = append(d.Parted, pair)
			}
		}
	}
	return d
}

// Move gives one policy another priority, whatever that changes: the notes say
// what. The plan has one step, or none when the policy stands there already.
func (b *Board) Move(policy string, to int32) (Plan, error) {
	from, ok := b.Priority(policy)
	switch {
	case !ok:
		return Plan{}, fmt.Errorf("policy %s is not on the ladder", policy)
	case to < 0 || to > LargestPriority:
		return Plan{}, fmt.Errorf("%s cannot have priority %d: the API takes 0 to %d", policy, to, LargestPriority)
	}
	p := Plan{Max: b.max, Now: b.Slots(), Then: b.Slots(), Steps: []Step{}, Notes: []string{}}
	if from == to {
		p.note(nil)
		return p, nil
	}
	for i := range p.Then {
		if p.Then[i].Policy == policy {
			p.Then[i].Priority = to
		}
	}
	sortSlots(p.Then)
	p.Steps = append(p.Steps, Step{Policy: policy, From: from, To: to, Enforces: from > b.max && to <= b.max})
	d := Compare(p.Now, p.Then, b.max)
	p.Notes = moveNotes(policy, from, to, b.max, &d)
	return p, nil
}

func moveNotes(policy string, from, to, max int32, d *Difference) []string {
	var before, after, tied, left []string
	for _, p := range d.Inverted {
		if p.First == policy {
			before = append(before, p.Second)
		} else {
			after = append(after, p.First)
		}
	}
	other := func(p Pair) string {
		if p.First == policy {
			return p.Second
		}
		return p.First
	}
	for _, p := range d.Tied {
		tied = append(tied, other(p))
	}
	for _, p := range d.Parted {
		left = append(left, other(p))
	}
	var notes []string
	add := func(names []string, format string) {
		if len(names) > 0 {
			notes = append(notes, fmt.Sprintf(format, words.Few(names, 3)))
		}
	}
	add(d.Enforced, "%s comes into force")
	if len(d.Released) > 0 {
		notes = append(notes, fmt.Sprintf("%d is above %d: not enforced; rows that exist stay and still decide at %d", to, max, from))
	}
	add(before, "decides before %s from then on")
	add(after, "decides after %s from then on")
	add(tied, "shares "+fmt.Sprint(to)+" with %s from then on")
	add(left, "no longer shares "+fmt.Sprint(from)+" with %s")
	if len(notes) == 0 {
		notes = []string{"the order of all policies stays"}
	}
	return notes
}
