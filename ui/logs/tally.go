package logs

import (
	"math"
	"time"

	"rung/engine/logs/entries"
	"rung/engine/logs/hits"
	"rung/model/logline"
)

// tally counts the matches by rule; lines without a known rule are not counted. Each line is
// looked at when it is found and when it is let go, never again.
type tally struct {
	by    map[logline.RuleRef]*ruleTally
	upto  uint64 // all matches up to here are counted
	stale bool
	seen  int // lines looked at, for tests
}

// ruleTally is the lines of one rule.
type ruleTally struct {
	n       uint64
	seconds hits.Window // by when they came
}

func (t *tally) reset() { *t = tally{stale: true, seen: t.seen} }

// count brings the numbers up to a line.
func (t *tally) count(f *feed, upto uint64) {
	if t.stale || t.by == nil || upto < t.upto {
		*t = tally{by: map[logline.RuleRef]*ruleTally{}, seen: t.seen}
	}
	for i := f.before(t.upto); i < f.len() && f.at(i) <= upto; i++ {
		t.add(f.entry(f.at(i)), 1)
	}
	t.upto = max(t.upto, min(upto, f.high))
}

// older takes in a line from before those that are counted.
func (t *tally) older(e *entries.Entry) {
	if t.by != nil && !t.stale && e != nil && e.Seq <= t.upto {
		t.add(e, 1)
	}
}

// forget takes a line out that the store let go.
func (t *tally) forget(e *entries.Entry) {
	if t.by != nil && !t.stale && e != nil && e.Seq <= t.upto {
		t.add(e, -1)
	}
}

func (t *tally) add(e *entries.Entry, d int) {
	t.seen++
	if !counted(e) {
		return
	}
	r := t.by[e.Rule]
	if r == nil {
		r = &ruleTally{}
		t.by[e.Rule] = r
	}
	r.n = uint64(max(0, int64(r.n)+int64(d)))
	r.seconds.Add(e.At.Unix(), d)
}

// of is the lines of a rule.
func (t *tally) of(ref logline.RuleRef) uint64 {
	if r := t.by[ref]; r != nil {
		return r.n
	}
	return 0
}

// seconds are how a rule's lines came until now.
func (t *tally) seconds(ref logline.RuleRef, now time.Time) hits.RecentSeconds {
	if r := t.by[ref]; r != nil {
		return r.seconds.LastSeconds(now.Unix())
	}
	return hits.RecentSeconds{}
}

func counted(e *entries.Entry) bool { return e != nil && e.Gap == nil && e.Attributed }

// shownTo is the newest line that may be shown.
func (v *walk) shownTo() uint64 {
	if v.follow {
		return math.MaxUint64
	}
	return v.until
}
