package plan

import (
	"fmt"
	"slices"
)

// TieNotes says during which of the steps a tie is broken, the first of them having a
// number: "a tie is broken during steps 3–5". start is where the policies stand before
// them. A tie that is broken before the first step, since a plan stopped within it, counts
// as well.
func TieNotes(start []Slot, steps []Step, first int) []string {
	now := map[string]int32{}
	for _, s := range start {
		now[s.Policy] = s.Priority
	}
	end, err := Replay(start, steps)
	if err != nil {
		return nil // it is not made that way
	}
	// Those that share a priority before the steps, or after them.
	ties := map[string][]string{}
	for side, slots := range [][]Slot{end, start} {
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
	for _, from := range open { // tied before the steps, and no longer after them
		runs = append(runs, [2]int{from, first + len(steps) - 1})
	}
	slices.SortFunc(runs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	var out []string
	for _, run := range slices.Compact(runs) {
		out = append(out, tieBroken(max(run[0], first), run[1]))
	}
	return slices.Compact(out)
}

// tieBroken is a run of steps during which a tie is broken.
func tieBroken(from, to int) string {
	if to <= from {
		return fmt.Sprintf("a tie is broken during step %d", from)
	}
	return fmt.Sprintf("a tie is broken during steps %d–%d", from, to)
}
