package logs

import (
	"slices"
	"sort"

	"rung/engine/logs"
	"rung/model"
	"rung/model/logline"
)

// lineGroups counts equal lines: one group for each, ordered by its last line, so that the newest is at the
// end. Every mark starts new groups.
type lineGroups struct {
	lineCounts[groupKey]
	marks []uint64
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
	g.takeMarks(marks)
	g.countMatches(f, upto, g.addEntry)
}

// addEntry counts (d 1) or uncounts (d -1) a line, if it is not newer than the counted ones.
func (g *lineGroups) addEntry(e *logs.Entry, d int) {
	if g.visit(e) {
		g.count(g.entryKey(e), e, d)
	}
}

// takeMarks takes over the marks. New marks after all counted lines leave the groups unchanged; otherwise
// counting starts again.
func (g *lineGroups) takeMarks(marks []userMark) {
	var now []uint64
	for _, m := range marks {
		now = append(now, m.after)
	}
	n := len(g.marks)
	if len(now) < n || !slices.Equal(now[:n], g.marks) || len(now) > n && now[n] < g.upto {
		g.reset()
	}
	g.marks = now
}

// userMark is a mark of the user, after the line with that number.
type userMark struct {
	after uint64
	text  string
}

// maxMarks bounds the marks; the oldest are dropped.
const maxMarks = 100
