package logs

import (
	"sort"
)

// item is one line of the list: a line or group, or a mark.
type item struct {
	seq  uint64 // of the line shown; for a group of its newest
	id   uint64 // of the line, or of the group's newest: the identity
	n    int    // how often it came
	mark *mark
	near bool // it does not match: it is around a line that does
}

// list is what is shown of a feed: its lines or groups up to a number, with the
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

// at is what stands in a row.
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
