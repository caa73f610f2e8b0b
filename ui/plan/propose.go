package plan

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"rung/model/plan"
)

// kind is what a proposal is for.
type kind int

const (
	respace kind = iota
	insert
)

// proposal is what the page proposes to do.
type proposal struct {
	kind        kind
	step, start int32 // of re-spacing; step 0 takes what fits
	// above and below are the neighbours of the room to make; at is where the
	// new policy goes then.
	above, below string
	at           int32

	plan plan.Plan
	err  error
}

// usual is the step and the start that are proposed first where they fit.
const usual = 10

// work works the proposal out on the ladder as it is.
func (p *proposal) work(b *plan.Board) {
	p.plan, p.err = plan.Plan{}, nil
	if p.kind == insert {
		in, err := b.Insert(p.above, p.below)
		if p.err = err; err == nil {
			p.at = in.Priority
			if in.Room != nil {
				p.plan = *in.Room
				return
			}
			p.plan = plan.Plan{Max: b.Max(), Now: b.Slots(), Then: b.Slots(), Notes: []string{fmt.Sprintf("%d is free", p.at)}}
		}
		return
	}
	if p.step == 0 {
		p.step, p.start = usual, usual
		if _, err := b.Respace(p.step, p.start); errors.Is(err, plan.ErrNoRoom) {
			if step, start := b.Widest(); step > 0 {
				p.step, p.start = step, start
			}
		}
	}
	p.plan, p.err = b.Respace(p.step, p.start)
}

// title says what is proposed.
func (p *proposal) title() string {
	if p.kind == respace {
		return fmt.Sprintf("re-space: step %d, from %d", p.step, p.start)
	}
	switch {
	case p.below == "":
		return "room below " + p.above
	case p.above == "":
		return "room above " + p.below
	}
	return "room between " + p.above + " and " + p.below
}

// parseStep reads "10" or "10 5": the step and, when it is there, the start.
func parseStep(s string) (step, start int32, err error) {
	f := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' })
	if len(f) == 0 || len(f) > 2 {
		return 0, 0, errors.New("one or two numbers: the step, and where to begin")
	}
	var n [2]int32
	for i, w := range f {
		v, err := strconv.ParseInt(w, 10, 32)
		if err != nil || v < 0 || v > plan.LargestPriority {
			return 0, 0, fmt.Errorf("%q is no number from 0 to %d", w, plan.LargestPriority)
		}
		n[i] = int32(v)
	}
	if len(f) == 1 {
		n[1] = n[0]
	}
	return n[0], n[1], nil
}
