package logs

import (
	"math"
	"time"

	"rung/engine/logs"
	"rung/model/logline"
	"rung/model/words"
)

// matchTally counts the matches by rule; lines without a known rule are not counted. Each line is visited only
// when found and when evicted.
type matchTally struct {
	byRule    map[logline.RuleRef]*ruleTally
	upto      uint64 // all matches up to here are counted
	seenLines int    // visits, for tests
}

// ruleTally counts the lines of one rule.
type ruleTally struct {
	n       uint64
	seconds logs.Window // by arrival
}

func (t *matchTally) resetTally() { *t = matchTally{seenLines: t.seenLines} }

// countUpTo counts the matches up to a line.
func (t *matchTally) countUpTo(f *lineFeed, upto uint64) {
	if t.byRule == nil || upto < t.upto {
		*t = matchTally{byRule: map[logline.RuleRef]*ruleTally{}, seenLines: t.seenLines}
	}
	from := t.upto
	t.upto = max(t.upto, min(upto, f.high))
	for i := f.matchesBefore(from); i < len(f.matches) && f.matches[i] <= upto; i++ {
		t.addEntry(f.findEntry(f.matches[i]), 1)
	}
}

// addEntry counts (d 1) or uncounts (d -1) a line, if it is not newer than the counted ones.
func (t *matchTally) addEntry(e *logs.Entry, d int) {
	if t.byRule == nil || e == nil || e.Seq > t.upto {
		return
	}
	t.seenLines++
	if !isCounted(e) {
		return
	}
	r := t.byRule[e.Rule]
	if r == nil {
		r = &ruleTally{}
		t.byRule[e.Rule] = r
	}
	r.n = uint64(max(0, int64(r.n)+int64(d)))
	r.seconds.Add(e.At.Unix(), d)
}

// ruleCount returns the number of lines of a rule.
func (t *matchTally) ruleCount(ref logline.RuleRef) uint64 {
	if r := t.byRule[ref]; r != nil {
		return r.n
	}
	return 0
}

// recentSeconds returns a rule's lines per second until now.
func (t *matchTally) recentSeconds(ref logline.RuleRef, now time.Time) logs.RecentSeconds {
	if r := t.byRule[ref]; r != nil {
		return r.seconds.LastSeconds(now.Unix())
	}
	return logs.RecentSeconds{}
}

func isCounted(e *logs.Entry) bool { return e != nil && e.Gap == nil && e.Attributed }

// shownTo returns the newest line that may be shown.
func (v *lineWalk) shownTo() uint64 { return words.Choose(v.follow, math.MaxUint64, v.untilLine) }
