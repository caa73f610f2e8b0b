package logs

import (
	"math"
	"time"

	"rung/engine/logs"
	"rung/model"
)

// tally counts the matches by rule. What no rule is known for is not counted.
type tally struct {
	by    map[model.RuleRef]uint64
	upto  uint64 // all matches up to here are counted
	stale bool
}

func (t *tally) reset() { *t = tally{stale: true} }

// count brings the numbers up to a line.
func (t *tally) count(f *feed, upto uint64) {
	if t.stale || t.by == nil || upto < t.upto {
		*t = tally{by: map[model.RuleRef]uint64{}}
	}
	for i := f.before(t.upto); i < f.len() && f.at(i) <= upto; i++ {
		if e := f.entry(f.at(i)); counted(e) {
			t.by[e.Rule]++
		}
	}
	t.upto = max(t.upto, min(upto, f.high))
}

// older takes in a line from before those that are counted.
func (t *tally) older(e *logs.Entry) {
	if t.by != nil && !t.stale && counted(e) && e.Seq <= t.upto {
		t.by[e.Rule]++
	}
}

// forget takes a line out that the store let go.
func (t *tally) forget(e *logs.Entry) {
	if t.by != nil && !t.stale && counted(e) && e.Seq <= t.upto && t.by[e.Rule] > 0 {
		t.by[e.Rule]--
	}
}

func counted(e *logs.Entry) bool { return e != nil && e.Gap == nil && e.Attributed }

// pace is how many lines of a rule came in each of the last seconds, the newest last;
// that one is still running.
type pace [10]int

// rate is the lines of the last full second.
func (p pace) rate() int { return p[len(p)-2] }

// paces are those of the matches up to a line.
func (f *feed) paces(upto uint64, now time.Time) map[model.RuleRef]pace {
	out := map[model.RuleRef]pace{}
	for i := f.before(upto) - 1; i >= 0; i-- {
		e := f.entry(f.at(i))
		ago := now.Unix() - e.At.Unix()
		if ago >= int64(len(pace{})) {
			break
		}
		if counted(e) && ago >= 0 {
			p := out[e.Rule]
			p[len(p)-1-int(ago)]++
			out[e.Rule] = p
		}
	}
	return out
}

// shownTo is the newest line that may be shown.
func (v *logPage) shownTo() uint64 {
	if v.follow {
		return math.MaxUint64
	}
	return v.until
}
