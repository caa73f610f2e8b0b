package logs

import (
	"slices"
	"sort"

	"rung/model/words"
	"rung/ui/view"
)

// listItem is one row of the list: a line, a group or a mark.
type listItem struct {
	seq  uint64 // of the line; of a group its newest
	id   uint64 // identity: the line's number, or that of the group's newest line
	n    int    // how often the line came
	mark *userMark
	near bool // context of a match, not a match itself
}

// lineList is the shown part of a feed: lines or groups up to a number, with marks between them.
type lineList struct {
	feed   *lineFeed
	marks  []userMark
	group  bool
	around contextLines

	n   int   // number of lines or groups shown
	pos []int // for every mark, the number of lines or groups before it
}

// updateTo updates the list; upto is the newest line it may show.
func (l *lineList) updateTo(upto uint64) {
	if l.group {
		l.feed.groups.countUpTo(l.feed, upto, l.marks)
		l.n = len(l.feed.groups.list)
	} else if l.around.n > 0 {
		l.around.updateTo(l.feed, upto)
		l.n = len(l.around.seqs)
	} else {
		l.n = l.feed.matchesBefore(upto)
	}
	l.pos = l.pos[:0]
	for _, m := range l.marks {
		l.pos = append(l.pos, l.findID(m.after+1))
	}
}

// idAt returns the identity of the i-th line or group.
func (l *lineList) idAt(i int) uint64 {
	if l.group {
		return l.feed.groups.list[i].last
	}
	if l.around.n > 0 {
		return l.around.seqs[i]
	}
	return l.feed.matches[i]
}

// findID returns the index of the first line or group whose identity is not below id.
func (l *lineList) findID(id uint64) int {
	return sort.Search(l.n, func(i int) bool { return l.idAt(i) >= id })
}

// countRows returns the number of rows including marks.
func (l *lineList) countRows() int { return l.n + len(l.pos) }

// rowIndex returns the row of the i-th line or group.
func (l *lineList) rowIndex(i int) int {
	return i + sort.Search(len(l.pos), func(m int) bool { return l.pos[m] > i })
}

// itemAtRow returns the line, group or mark in a row.
func (l *lineList) itemAtRow(row int) listItem {
	m := sort.Search(len(l.pos), func(m int) bool { return l.pos[m]+m >= row })
	if m < len(l.pos) && l.pos[m]+m == row {
		return listItem{mark: &l.marks[m]}
	}
	return l.lineAt(row - m)
}

// lineAt returns the i-th line or group.
func (l *lineList) lineAt(i int) listItem {
	if l.group {
		g := l.feed.groups.list[i]
		return listItem{seq: g.last, id: g.last, n: g.n}
	}
	id := l.idAt(i)
	return listItem{seq: id, id: id, n: 1, near: l.around.n > 0 && !isIn(l.feed.matches, id)}
}

// contextSizes are the numbers of lines to show before and after each match.
var contextSizes = []int{0, 1, 2, 3, 5, 10, 20, 50}

// contextLines holds the matches with the lines around them.
type contextLines struct {
	n      int // lines before and after a match; 0: matches only
	seqs   []uint64
	inputs contextInputs
}

// contextInputs holds the inputs of contextLines.
type contextInputs struct {
	n, matches           int
	low, high, base, end uint64
}

// updateTo computes the lines again if an input changed.
func (s *contextLines) updateTo(f *lineFeed, upto uint64) {
	of := contextInputs{s.n, len(f.matches), f.low, f.high, f.firstHeld(), min(upto, f.lastHeld())}
	if s.n == 0 || of == s.inputs {
		return
	}
	s.inputs, s.seqs = of, s.seqs[:0]
	var before []uint64 // shown if a match follows
	next, after := 0, 0
	for i, about := range f.isAbout {
		seq := f.firstHeld() + uint64(i)
		switch {
		case seq > upto:
			return
		case !about:
			continue
		}
		for next < len(f.matches) && f.matches[next] < seq {
			next++
		}
		switch {
		case next < len(f.matches) && f.matches[next] == seq:
			s.seqs = append(append(s.seqs, before...), seq)
			before, after = before[:0], s.n
		case after > 0:
			s.seqs = append(s.seqs, seq)
			after--
		default:
			if len(before) == s.n {
				before = slices.Delete(before, 0, 1)
			}
			before = append(before, seq)
		}
	}
}

// isIn reports whether a number is in a sorted list.
func isIn(sorted []uint64, n uint64) bool {
	_, found := slices.BinarySearch(sorted, n)
	return found
}

const aroundMatches = "surrounding lines need a filter, and no grouping"

// widenContext shows more (d > 0) or fewer lines around each match.
func (v *lineWalk) widenContext(env *view.Env, d int) {
	if v.feed.query.ShowsAll() || v.list.group {
		env.ShowFailure("%s", aroundMatches)
		return
	}
	i := slices.Index(contextSizes, v.list.around.n) + d
	if i < 0 || i >= len(contextSizes) {
		return
	}
	v.list.around = contextLines{n: contextSizes[i]}
	v.updateList()
	if n := contextSizes[i]; n == 0 {
		env.ShowText("matches only")
	} else {
		env.ShowText("%s before and after each match", words.Count(uint64(n), "line"))
	}
}
