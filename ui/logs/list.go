package logs

import (
	"slices"
	"sort"

	"rung/model/words"
	"rung/ui/view"
)

// item is one line of the list: a line or group, or a mark.
type item struct {
	seq  uint64 // of the line shown; for a group of its newest
	id   uint64 // of the line, or of the group's newest: the identity
	n    int    // how often it came
	mark *mark
	near bool // it does not match: it is around a line that does
}

// list is the shown part of a feed: its lines or groups up to a number, with the
// marks between.
type list struct {
	feed   *feed
	marks  []mark
	group  bool
	around spread

	n   int   // lines or groups shown
	pos []int // for every mark how many of them stand before it
}

// bring brings the list up to date; upto is the newest line it may show.
func (l *list) bring(upto uint64) {
	if l.group {
		l.feed.groups.count(l.feed, upto, l.marks)
		l.n = len(l.feed.groups.list)
	} else if l.around.n > 0 {
		l.around.bring(l.feed, upto)
		l.n = len(l.around.seqs)
	} else {
		l.n = l.feed.before(upto)
	}
	l.pos = l.pos[:0]
	for _, m := range l.marks {
		l.pos = append(l.pos, l.find(m.after+1))
	}
}

// id is the identity of the i-th line or group.
func (l *list) id(i int) uint64 {
	if l.group {
		return l.feed.groups.list[i].last
	}
	if l.around.n > 0 {
		return l.around.seqs[i]
	}
	return l.feed.at(i)
}

// find is the first line or group whose identity is not below a number.
func (l *list) find(id uint64) int {
	return sort.Search(l.n, func(i int) bool { return l.id(i) >= id })
}

// rows is how many rows there are with the marks.
func (l *list) rows() int { return l.n + len(l.pos) }

// row is the row of the i-th line or group.
func (l *list) row(i int) int {
	return i + sort.Search(len(l.pos), func(m int) bool { return l.pos[m] > i })
}

// at returns the line, group or mark in a row.
func (l *list) at(row int) item {
	m := sort.Search(len(l.pos), func(m int) bool { return l.pos[m]+m >= row })
	if m < len(l.pos) && l.pos[m]+m == row {
		return item{mark: &l.marks[m]}
	}
	return l.line(row - m)
}

// line is the i-th line or group.
func (l *list) line(i int) item {
	if l.group {
		g := l.feed.groups.list[i]
		return item{seq: g.last, id: g.last, n: g.n}
	}
	id := l.id(i)
	return item{seq: id, id: id, n: 1, near: l.around.n > 0 && !l.feed.has(id)}
}

// arounds are how many lines may be shown before and after each match.
var arounds = []int{0, 1, 2, 3, 5, 10, 20, 50}

// spread are the lines of a feed with those around them.
type spread struct {
	n    int // lines before and after a match; 0: the matches alone
	seqs []uint64
	of   spreadOf
}

// spreadOf holds the inputs that the lines were worked out from.
type spreadOf struct {
	n, matches           int
	low, high, base, end uint64
}

// bring works the lines out where something changed.
func (s *spread) bring(f *feed, upto uint64) {
	of := spreadOf{s.n, f.len(), f.low, f.high, f.base(), min(upto, f.last())}
	if s.n == 0 || of == s.of {
		return
	}
	s.of, s.seqs = of, s.seqs[:0]
	var before []uint64 // those that are shown should a match follow
	next, after := 0, 0
	for i, about := range f.about {
		seq := f.base() + uint64(i)
		switch {
		case seq > upto:
			return
		case !about:
			continue
		}
		for next < f.len() && f.at(next) < seq {
			next++
		}
		switch {
		case next < f.len() && f.at(next) == seq:
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

// has says whether a line is among the matches.
func (f *feed) has(seq uint64) bool {
	i := sort.Search(f.len(), func(i int) bool { return f.at(i) >= seq })
	return i < f.len() && f.at(i) == seq
}

const aroundMatches = "lines around are for the lines that match a filter"

// widen shows more lines around each match, or fewer.
func (v *walk) widen(env *view.Env, d int) {
	if v.feed.query.ShowsAll() || v.list.group {
		env.SayFailure("%s", aroundMatches)
		return
	}
	i := slices.Index(arounds, v.list.around.n) + d
	if i < 0 || i >= len(arounds) {
		return
	}
	v.list.around = spread{n: arounds[i]}
	v.bring()
	if n := arounds[i]; n == 0 {
		env.SayText("matches only")
	} else {
		env.SayText("%s before and after each match", words.Total(uint64(n), "line"))
	}
}
