package logs

import (
	"cmp"
	"slices"
	"sort"

	"rung/engine/logs"
	"rung/model"
)

// groups are equal lines counted: one line for each, in the order in which they last
// came, so that what happens now is at the end; begun anew at every mark.
type groups struct {
	list  []*group
	by    map[groupKey]*group
	upto  uint64 // all matches up to here are counted
	stale bool   // older matches were found: count again
	marks []uint64
}

// group is a line that came n times; last is the newest of them.
type group struct {
	key  groupKey
	last uint64
	n    int
}

// groupKey is what makes two lines equal.
type groupKey struct {
	segment        int
	zone, src, dst string
	srcPod, dstPod model.Key
	traffic        string
	verdict        string
	rule           model.RuleRef
	gap            uint64 // of a gap its number: each stands alone
}

func (g *groups) reset() { *g = groups{marks: g.marks, stale: true} }

func (g *groups) key(e *logs.Entry) groupKey {
	segment := sort.Search(len(g.marks), func(i int) bool { return g.marks[i] >= e.Seq })
	if e.Gap != nil {
		return groupKey{segment: segment, gap: e.Seq}
	}
	return groupKey{segment: segment, zone: e.Line.Zone, src: e.Src.Addr, dst: e.Dst.Addr, srcPod: e.Src.Key, dstPod: e.Dst.Key,
		traffic: e.Traffic(), verdict: e.Line.Verdict, rule: e.Rule}
}

// count brings the groups up to a number.
func (g *groups) count(f *feed, upto uint64, marks []mark) {
	if g.stale || upto < g.upto || len(marks) != len(g.marks) {
		g.reset()
		g.stale = false
		g.marks = g.marks[:0]
		for _, m := range marks {
			g.marks = append(g.marks, m.after)
		}
		g.by = map[groupKey]*group{}
	}
	from := g.upto
	for i := f.before(from); i < f.len(); i++ {
		seq := f.at(i)
		if seq > upto {
			break
		}
		e := f.entry(seq)
		k := g.key(e)
		x := g.by[k]
		if x == nil {
			x = &group{key: k}
			g.by[k] = x
			g.list = append(g.list, x)
		}
		x.last = seq
		x.n++
	}
	g.upto = max(g.upto, min(upto, f.high))
	g.order(from)
}

// order puts the groups that came again since a number behind the others, which stand
// in order already.
func (g *groups) order(since uint64) {
	old := g.list[:0]
	var again []*group
	for _, x := range g.list {
		if x.last > since {
			again = append(again, x)
		} else {
			old = append(old, x)
		}
	}
	slices.SortFunc(again, func(a, b *group) int { return cmp.Compare(a.last, b.last) })
	g.list = append(old, again...)
}

// forget takes a line out that the store let go.
func (g *groups) forget(e *logs.Entry) {
	if e == nil || g.by == nil || e.Seq > g.upto || g.stale {
		return
	}
	k := g.key(e)
	x := g.by[k]
	if x == nil {
		return
	}
	if x.n--; x.n <= 0 {
		delete(g.by, k)
		if i := slices.Index(g.list, x); i >= 0 {
			g.list = slices.Delete(g.list, i, i+1)
		}
	}
}

// mark is a line of the user's own: it stands behind the line with that number.
type mark struct {
	after uint64
	text  string
}

// maxMarks bounds the marks that are kept; the oldest go.
const maxMarks = 100
