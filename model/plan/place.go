package plan

import (
	"fmt"
	"slices"
)

// Places for a set of policies: gapBetween priorities stay free between them if possible. An empty ladder
// begins at usualStart, in a middle range.
const (
	gapBetween = 2
	usualStart = 40
)

// FreePlaces finds n free adjacent priorities before a priority: in the last free run that fits them with room
// between, else in the last that fits them. Later policies then find a place between, before and after them.
// Without such a run the error is ErrNoSpace.
func (b *Board) FreePlaces(n int, before int32) ([]int32, error) {
	if n < 1 {
		return nil, nil
	}
	runs := b.FreeRuns()
	for _, least := range []int32{1, 0} {
		for i := len(runs) - 1; i >= 0; i-- {
			from, to := runs[i].From, min(runs[i].To, before-1)
			length := to - from + 1
			gap := int32(gapBetween)
			if n > 1 {
				gap = min(gap, (length-int32(n))/int32(n-1))
			}
			if length < int32(n) || n > 1 && gap < least {
				continue
			}
			span := int32(n-1)*(gap+1) + 1
			start := from + (length-span)/2
			if from == 0 && to == b.max { // the ladder is empty
				start = min(usualStart, to-span+1)
			}
			out := make([]int32, n)
			for j := range out {
				out[j] = start + int32(j)*(gap+1)
			}
			return out, nil
		}
	}
	return nil, fmt.Errorf("%w: no %d free priorities before %d; rung plan makes room", ErrNoSpace, n, before)
}

// FreePlaceBehind finds a free priority behind every policy and behind another priority: the middle of the
// priorities left.
func (b *Board) FreePlaceBehind(at int32) (int32, error) {
	for _, g := range b.supportedGroups() {
		at = max(at, g.from)
	}
	if at >= b.max {
		return 0, fmt.Errorf("%w: no free priority after %d; rung plan makes room", ErrNoSpace, at)
	}
	return at + 1 + (b.max-at-1)/2, nil
}

// TieNotes returns during which steps a tie is broken: "a tie is broken during steps 3–5". start is the ladder
// before the steps, and first the number of the first step. It includes a tie broken before the first step, by
// a plan that was stopped in the middle.
func TieNotes(start []Placement, steps []Step, first int) []string {
	now := priorityByPolicy(start)
	end, err := ReplaySteps(start, steps)
	if err != nil {
		return nil // no plan is made of such steps
	}
	// Policies that share a priority before or after the steps.
	ties := map[string][]string{}
	for side, slots := range [][]Placement{end, start} {
		for _, s := range slots {
			k := fmt.Sprint(side, s.Priority)
			ties[k] = append(ties[k], s.Policy)
		}
	}
	broken := func(members []string) bool {
		return slices.ContainsFunc(members, func(m string) bool { return now[m] != now[members[0]] })
	}
	var runs [][2]int
	open := map[string]int{}
	look := func(number int) {
		for k, members := range ties {
			from, was := open[k]
			switch is := broken(members); {
			case is && !was:
				open[k] = number
			case !is && was:
				runs = append(runs, [2]int{from, number - 1})
				delete(open, k)
			}
		}
	}
	look(first - 1)
	for i, s := range steps {
		now[s.Policy] = s.To
		look(first + i)
	}
	for _, from := range open { // tied before the steps, but not after them
		runs = append(runs, [2]int{from, first + len(steps) - 1})
	}
	slices.SortFunc(runs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	var out []string
	for _, run := range slices.Compact(runs) {
		out = append(out, tieBroken(max(run[0], first), run[1]))
	}
	return slices.Compact(out)
}

// tieBroken describes a run of steps during which a tie is broken.
func tieBroken(from, to int) string {
	if to <= from {
		return fmt.Sprintf("a tie is broken during step %d", from)
	}
	return fmt.Sprintf("a tie is broken during steps %d–%d", from, to)
}
