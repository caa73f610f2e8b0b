package logs

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"rung/engine/logs"
	"rung/model/logline"
)

// lineCounts counts the matches by a key. Each line is visited only when found and when evicted.
type lineCounts[K comparable] struct {
	byKey     map[K]*lineCount // nil to count from the start
	list      []*lineCount     // ordered by the newest line
	upto      uint64           // all matches up to here are counted
	isChanged bool             // list is to be ordered
	seenLines int              // number of lines visited, for tests
}

// lineCount counts the lines with the same key; last is the newest.
type lineCount struct {
	n       int
	last    uint64
	seconds logs.Window // by arrival
	isMoved bool        // not in its place of the list yet
}

func (c *lineCounts[K]) reset() { *c = lineCounts[K]{seenLines: c.seenLines} }

// visit notes a visit, and reports whether the line belongs to those counted so far.
func (c *lineCounts[K]) visit(e *logs.Entry) bool {
	is := c.byKey != nil && e != nil && e.Seq <= c.upto
	if is {
		c.seenLines++
	}
	return is
}

// countMatches counts the matches up to a number by add.
func (c *lineCounts[K]) countMatches(f *lineFeed, upto uint64, add func(*logs.Entry, int)) {
	if c.byKey == nil || upto < c.upto {
		c.reset()
		c.byKey = map[K]*lineCount{}
	}
	from := c.upto
	c.upto = max(c.upto, min(upto, f.high))
	for i := f.matchesBefore(from); i < len(f.matches) && f.matches[i] <= upto; i++ {
		add(f.findEntry(f.matches[i]), 1)
	}
	if c.isChanged {
		c.order(from)
	}
}

// count counts (d 1) or uncounts (d -1) a line with a key.
func (c *lineCounts[K]) count(k K, e *logs.Entry, d int) {
	x := c.byKey[k]
	switch {
	case x == nil && d < 0:
		return
	case x == nil:
		x = &lineCount{isMoved: true}
		c.byKey[k] = x
		c.list = append(c.list, x)
	}
	x.n += d
	x.seconds.Add(e.At.Unix(), d)
	if e.Seq > x.last {
		x.last, x.isMoved = e.Seq, true
	}
	if x.n == 0 {
		delete(c.byKey, k)
	}
	c.isChanged = c.isChanged || x.isMoved || x.n == 0
}

// order drops the empty counts, and moves those with lines after since to the end, and those of lines older
// than all others to the front; the others are in order already.
func (c *lineCounts[K]) order(since uint64) {
	var moved []*lineCount
	inPlace := c.list[:0]
	for _, x := range c.list {
		switch {
		case x.n == 0:
		case x.isMoved:
			x.isMoved = false
			moved = append(moved, x)
		default:
			inPlace = append(inPlace, x)
		}
	}
	slices.SortFunc(moved, func(a, b *lineCount) int { return cmp.Compare(a.last, b.last) })
	older := sort.Search(len(moved), func(i int) bool { return moved[i].last > since })
	clear(c.list[len(inPlace):])
	c.list, c.isChanged = append(slices.Insert(inPlace, 0, moved[:older]...), moved[older:]...), false
}

// matchTally counts the matches by rule; lines without a known rule are not counted.
type matchTally struct{ lineCounts[logline.RuleRef] }

// addEntry counts (d 1) or uncounts (d -1) a line, if it is not newer than the counted ones.
func (t *matchTally) addEntry(e *logs.Entry, d int) {
	if t.visit(e) && e.Gap == nil && e.Attributed {
		t.count(e.Rule, e, d)
	}
}

// countOfRule returns the number of lines of a rule, and its lines per second until now.
func (t *matchTally) countOfRule(ref logline.RuleRef, now time.Time) (n uint64, recent logs.RecentSeconds) {
	if r := t.byKey[ref]; r != nil {
		return uint64(r.n), r.seconds.LastSeconds(now.Unix())
	}
	return 0, recent
}
