package logs

import (
	"math"
	"time"

	"rung/engine/logs/entries"
	"rung/model/logline"
)

// tally counts the matches by rule. What no rule is known for is not counted. Each line is
// looked at when it is found and when it is let go, never again.
type tally struct {
	by    map[logline.RuleRef]*ruleTally
	upto  uint64 // all matches up to here are counted
	stale bool
	seen  int // lines looked at, for tests
}

// ruleTally is the lines of one rule.
type ruleTally struct {
	n      uint64
	lately lately
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
	r.lately.add(e.At.Unix(), d)
}

// of is the lines of a rule.
func (t *tally) of(ref logline.RuleRef) uint64 {
	if r := t.by[ref]; r != nil {
		return r.n
	}
	return 0
}

// pace is how a rule's lines came until now.
func (t *tally) pace(ref logline.RuleRef, now time.Time) pace {
	if r := t.by[ref]; r != nil {
		return r.lately.pace(now.Unix())
	}
	return pace{}
}

func counted(e *entries.Entry) bool { return e != nil && e.Gap == nil && e.Attributed }

// pace is how many lines of a rule came in each of the last seconds, the newest last;
// that one is still running.
type pace [10]int

// rate is the lines of the last full second.
func (p pace) rate() int { return p[len(p)-2] }

// lately counts the lines of seconds up to the newest one that had any.
type lately struct {
	newest int64
	n      pace // of second s at s % len
}

func (l *lately) add(second int64, d int) {
	span := int64(len(l.n))
	for s := max(l.newest+1, second-span+1); s <= second; s++ {
		l.n[s%span] = 0
	}
	if l.newest = max(l.newest, second); second > l.newest-span && second >= 0 {
		l.n[second%span] += d
	}
}

// pace is that of the seconds up to now.
func (l *lately) pace(now int64) (p pace) {
	span := int64(len(p))
	for i := range p {
		if s := now - span + 1 + int64(i); s >= 0 && s <= l.newest && s > l.newest-span {
			p[i] = l.n[s%span]
		}
	}
	return p
}

// shownTo is the newest line that may be shown.
func (v *walk) shownTo() uint64 {
	if v.follow {
		return math.MaxUint64
	}
	return v.until
}
