package logs

import (
	"slices"
	"sort"

	"rung/model/words"
	"rung/ui/view"
)

// listItem is one line of the list: a line or group, or a mark.
type listItem struct {
	seq  uint64 // of the line shown; for a group of its newest
	id   uint64 // of the line, or of the group's newest: the identity
	n    int    // how often it came
	mark *userMark
	near bool // it does not match: it is around a line that does
}

// lineList is the shown part of a feed: its lines or groups up to a number, with the
// marks between.
type lineList struct {
	feed   *lineFeed
	marks  []userMark
	group  bool
	around contextLines

	n   int   // lines or groups shown
	pos []int // for every mark how many of them stand before it
}

// bringUpTo brings the list up to date; upto is the newest line it may show.
func (l *lineList) bringUpTo(upto uint64) {
	if l.group {
		l.feed.groups.countUpTo(l.feed, upto, l.marks)
		l.n = len(l.feed.groups.list)
	} else if l.around.n > 0 {
		l.around.bringUpTo(l.feed, upto)
		l.n = len(l.around.seqs)
	} else {
		l.n = l.feed.matchesBefore(upto)
	}
	l.pos = l.pos[:0]
	for _, m := range l.marks {
		l.pos = append(l.pos, l.findID(m.after+1))
	}
}

// idAt is the identity of the i-th line or group.
func (l *lineList) idAt(i int) uint64 {
	if l.group {
		return l.feed.groups.list[i].last
	}
	if l.around.n > 0 {
		return l.around.seqs[i]
	}
	return l.feed.matches[i]
}

// findID is the first line or group whose identity is not below a number.
func (l *lineList) findID(id uint64) int {
	return sort.Search(l.n, func(i int) bool { return l.idAt(i) >= id })
}

// countRows is how many rows there are with the marks.
func (l *lineList) countRows() int { return l.n + len(l.pos) }

// rowOf is the row of the i-th line or group.
func (l *lineList) rowOf(i int) int {
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

// lineAt is the i-th line or group.
func (l *lineList) lineAt(i int) listItem {
	if l.group {
		g := l.feed.groups.list[i]
		return listItem{seq: g.last, id: g.last, n: g.n}
	}
	id := l.idAt(i)
	return listItem{seq: id, id: id, n: 1, near: l.around.n > 0 && !isIn(l.feed.matches, id)}
}

// arounds are how many lines may be shown before and after each match.
var arounds = []int{0, 1, 2, 3, 5, 10, 20, 50}

// contextLines are the lines of a feed with those around them.
type contextLines struct {
	n    int // lines before and after a match; 0: the matches alone
	seqs []uint64
	of   spreadOf
}

// spreadOf holds the inputs that the lines were worked out from.
type spreadOf struct {
	n, matches           int
	low, high, base, end uint64
}

// bringUpTo works the lines out where something changed.
func (s *contextLines) bringUpTo(f *lineFeed, upto uint64) {
	of := spreadOf{s.n, len(f.matches), f.low, f.high, f.firstHeld(), min(upto, f.lastHeld())}
	if s.n == 0 || of == s.of {
		return
	}
	s.of, s.seqs = of, s.seqs[:0]
	var before []uint64 // those that are shown should a match follow
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

const aroundMatches = "lines around are for the lines that match a filter"

// widenContext shows more lines around each match, or fewer.
func (v *lineWalk) widenContext(env *view.Env, d int) {
	if v.feed.query.ShowsAll() || v.list.group {
		env.SayFailure("%s", aroundMatches)
		return
	}
	i := slices.Index(arounds, v.list.around.n) + d
	if i < 0 || i >= len(arounds) {
		return
	}
	v.list.around = contextLines{n: arounds[i]}
	v.updateList()
	if n := arounds[i]; n == 0 {
		env.SayText("matches only")
	} else {
		env.SayText("%s before and after each match", words.Count(uint64(n), "line"))
	}
}
