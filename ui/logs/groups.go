package logs

import (
	"cmp"
	"slices"
	"sort"

	"rung/engine/logs"
	"rung/model"
	"rung/model/logline"
)

// lineGroups counts equal lines: one group for each, ordered by its last line, so that the newest is at the
// end. Every mark starts new groups. Each line is visited only when found and when evicted.
type lineGroups struct {
	list      []*lineGroup
	old       []*lineGroup            // groups of lines older than all in list, newest first
	byKey     map[groupKey]*lineGroup // nil to count from the start
	upto      uint64                  // all matches up to here are counted
	empty     int                     // groups in list without lines
	marks     []uint64
	seenLines int // visits, for tests
}

// lineGroup is n equal lines; last is the newest.
type lineGroup struct {
	key  groupKey
	last uint64
	n    int
}

// groupKey holds the fields that equal lines share.
type groupKey struct {
	segment        int
	zone, src, dst string
	srcPod, dstPod model.Key
	traffic        string
	verdict        string
	rule           logline.RuleRef
	gap            uint64 // number of a gap: gaps are never grouped
}

func (g *lineGroups) resetGroups() { *g = lineGroups{marks: g.marks, seenLines: g.seenLines} }

func (g *lineGroups) entryKey(e *logs.Entry) groupKey {
	segment := sort.Search(len(g.marks), func(i int) bool { return g.marks[i] >= e.Seq })
	if e.Gap != nil {
		return groupKey{segment: segment, gap: e.Seq}
	}
	return groupKey{segment: segment, zone: e.Line.Zone, src: e.Src.Addr, dst: e.Dst.Addr, srcPod: e.Src.Key, dstPod: e.Dst.Key,
		traffic: e.Traffic(), verdict: e.Line.Verdict, rule: e.Rule}
}

// countUpTo counts the matches up to a number.
func (g *lineGroups) countUpTo(f *lineFeed, upto uint64, marks []userMark) {
	if !g.takeMarks(marks) || g.byKey == nil || upto < g.upto {
		g.resetGroups()
		g.marks = g.marks[:0]
		for _, m := range marks {
			g.marks = append(g.marks, m.after)
		}
		g.byKey = map[groupKey]*lineGroup{}
	}
	from := g.upto
	for i := f.matchesBefore(from); i < len(f.matches); i++ {
		seq := f.matches[i]
		if seq > upto {
			break
		}
		x, fresh := g.ensureGroup(f.findEntry(seq))
		if fresh {
			g.list = append(g.list, x)
		}
		x.last = seq
		x.n++
	}
	g.upto = max(g.upto, min(upto, f.high))
	g.orderGroups(from)
}

// takeMarks adds marks after all counted lines, which leave their groups unchanged; false if other marks
// changed.
func (g *lineGroups) takeMarks(marks []userMark) bool {
	for i, m := range marks {
		switch {
		case i < len(g.marks) && g.marks[i] != m.after:
			return false
		case i < len(g.marks):
		case m.after < g.upto:
			return false
		default:
			g.marks = append(g.marks, m.after)
		}
	}
	return len(g.marks) == len(marks)
}

// ensureGroup returns the group of a line; fresh: the group is new.
func (g *lineGroups) ensureGroup(e *logs.Entry) (x *lineGroup, fresh bool) {
	g.seenLines++
	k := g.entryKey(e)
	x = g.byKey[k]
	if x == nil {
		x, fresh = &lineGroup{key: k}, true
		g.byKey[k] = x
	}
	return x, fresh
}

// addOlder counts a line older than those counted.
func (g *lineGroups) addOlder(e *logs.Entry) {
	if g.byKey == nil || e == nil || e.Seq > g.upto {
		return
	}
	x, fresh := g.ensureGroup(e)
	x.n++
	if fresh {
		x.last = e.Seq
		g.old = append(g.old, x)
	}
}

// orderGroups moves the groups with lines after since to the end, and groups of older lines to the front; the
// others are in order already.
func (g *lineGroups) orderGroups(since uint64) {
	if g.upto == since && len(g.old) == 0 && g.empty == 0 {
		return
	}
	list := make([]*lineGroup, 0, len(g.old)+len(g.list))
	var again []*lineGroup
	slices.Reverse(g.old)
	for _, part := range [][]*lineGroup{g.old, g.list} {
		for _, x := range part {
			switch {
			case x.n == 0:
			case x.last > since:
				again = append(again, x)
			default:
				list = append(list, x)
			}
		}
	}
	slices.SortFunc(again, func(a, b *lineGroup) int { return cmp.Compare(a.last, b.last) })
	g.list, g.old, g.empty = append(list, again...), nil, 0
}

// forgetEntry uncounts an evicted line.
func (g *lineGroups) forgetEntry(e *logs.Entry) {
	if e == nil || g.byKey == nil || e.Seq > g.upto {
		return
	}
	g.seenLines++
	k := g.entryKey(e)
	x := g.byKey[k]
	if x == nil {
		return
	}
	x.n = max(0, x.n-1)
	if x.n == 0 {
		delete(g.byKey, k)
		g.empty++ // orderGroups removes all empty groups together
	}
}

// userMark is a mark of the user, after the line with that number.
type userMark struct {
	after uint64
	text  string
}

// maxMarks bounds the marks; the oldest are dropped.
const maxMarks = 100
