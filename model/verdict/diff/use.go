package diff

import (
	"slices"

	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/index"
)

// RuleUse is what becomes of a rule of a change: one that is new, goes, or is another in
// what it matches, what it does or where it stands.
type RuleUse struct {
	Policy    model.Key
	Direction model.Direction
	Rule      int
	// Before says that it is told of as it was before the change.
	Before bool
	// Matches says that there are connections that it matches, Decides that it decides one
	// of them, alone or with others of its priority. Instead are those that decide the rest.
	Matches, Decides bool
	Instead          []verdict.Decider
}

// findUses finds the rules that are asked about, once it is known what changed. Of a rule of
// which only a part changed nothing is said.
func (d *differ) findUses() {
	if d.useOf[0] != nil {
		return
	}
	for side, s := range d.sides {
		d.useOf[side] = map[int32][]int{}
		x := s.c.Index
		same := map[int32]bool{} // rules with a term that is in both
		for stage, terms := range x.Terms {
			for i := range terms {
				if !d.Changed[side][stage].Has(int32(i)) {
					same[terms[i].Rule] = true
				}
			}
		}
		type id struct {
			key       model.Key
			direction model.Direction
			rule      int
		}
		at, whole := map[id]int{}, map[id]bool{}
		for i := range x.Rules {
			r := &x.Rules[i]
			if r.Policy != nil && same[int32(i)] {
				whole[id{r.Key, r.Direction, r.Index}] = true
			}
		}
		for i := range x.Rules {
			r := &x.Rules[i]
			if r.Policy == nil || !slices.Contains(d.ask.About, r.Key) {
				continue
			}
			k := id{r.Key, r.Direction, r.Index}
			if whole[k] {
				continue
			}
			u, known := at[k]
			if !known {
				u = len(d.uses)
				at[k] = u
				d.uses = append(d.uses, RuleUse{Policy: r.Key, Direction: r.Direction, Rule: r.Index, Before: side == 0})
				d.instead, d.useSide = append(d.instead, map[int32]bool{}), append(d.useSide, side)
			}
			d.useOf[side][int32(i)] = append(d.useOf[side][int32(i)], u)
		}
	}
}

// noteUse notes which of the rules that are asked about match in a walk, and who decides
// there.
func (d *differ) noteUse(s *side, stage int, list []int32, w *portWalk) {
	d.findUses()
	if len(d.useOf[s.at]) == 0 {
		return
	}
	terms := s.c.Index.Terms[stage]
	for _, i := range list {
		for _, u := range d.useOf[s.at][terms[i].Rule] {
			d.noteTerm(s, u, i, terms, list, w)
		}
	}
}

// noteTerm notes what becomes of the ports that a term matches, in one walk.
func (d *differ) noteTerm(s *side, use int, ref int32, terms []index.Term, list []int32, w *portWalk) {
	t, u := &terms[ref], &d.uses[use]
	for proto, runs := range w.runs {
		for _, r := range runs {
			if !t.Ports.Has(int8(proto), r.lo) {
				continue
			}
			u.Matches = true
			if r.by >= 0 && slices.Contains(s.by[r.by], t.Rule) || t.Does == index.Passes && slices.ContainsFunc(index.CollectHits(list, terms, int8(proto), r.lo, nil).Hits, func(h index.Hit) bool { return h.Ref == ref }) {
				u.Decides = true // a Pass decides that the next tier is asked
				continue
			}
			if r.by >= 0 {
				d.instead[use][r.by] = true
			}
		}
	}
}
