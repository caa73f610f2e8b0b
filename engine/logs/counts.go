package logs

import (
	"cmp"
	"maps"
	"time"

	"rung/model/logline"
	"rung/model/words"
)

// longestTraffic bounds a line's protocol and verdict, which come from outside.
const longestTraffic = 64

// HitParts returns the rule with its verdict, the pair of ends, and the time a line counts for. A node's clock
// ahead of now counts as now.
func HitParts(e *Entry, now time.Time) (Rule, Pair, time.Time) {
	at := words.Choose(e.Line.At.After(now) || e.Line.At.Unix() <= 0, now, e.Line.At)
	ref := e.Rule
	ref.Exact = true // an attributed rule is known even if its name was truncated
	return Rule{Ref: ref, Verdict: cutToLength(e.Line.Verdict, longestTraffic)},
		Pair{From: endName(e.Src), To: endName(e.Dst), Traffic: cutToLength(e.Traffic(), longestTraffic)}, at
}

// endName returns an end's pod or node, or its address. A deleted pod keeps its name.
func endName(d End) string { return cmp.Or(EntityName(d.Key), d.Addr, "?") }

func cutToLength(s string, n int) string { return s[:min(len(s), n)] }

// countLine counts a line; mu is held.
func (l *Store) countLine(e *Entry, now time.Time) {
	if !e.Attributed {
		l.hits.Unknown++
		return
	}
	rule, pair, at := HitParts(e, now)
	if counted := l.hits.Add(rule, pair, at); counted != nil {
		counted.arrivals.Add(now.Unix(), 1)
	}
}

// ResumeCounts adds the counts of an earlier run.
func (l *Store) ResumeCounts(c *Counter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hits.Merge(c)
}

// Hits returns the hit rules with their pairs, most hits first, and the start of counting. kept means that an
// earlier run counted some.
func (l *Store) Hits() (all []RuleHits, since time.Time, kept bool) {
	c := l.copyHits()
	return c.RulesWithPairs(), c.From, c.HasEarlier
}

// EncodeHits encodes the counts for a later run.
func (l *Store) EncodeHits() ([]byte, error) { return l.copyHits().Encode() }

// copyHits copies the counts, so that lines need not wait for sorting.
func (l *Store) copyHits() *Counter {
	l.mu.RLock()
	defer l.mu.RUnlock()
	c := NewHits(l.hits.From)
	c.Merge(l.hits)
	return c
}

// HitSummary holds the hits of rules at one time. It never changes.
type HitSummary struct {
	At time.Time
	// From is the start of counting.
	From time.Time
	// Rules holds the hits of each rule, for all verdicts.
	Rules map[logline.RuleRef]LineHits
	// Followed means that lines come at all, from Since on; NotFollowed counts the nodes whose lines do not
	// come.
	Followed    bool
	Since       time.Time
	NotFollowed int

	logged logTimes
	upto   uint64 // the newest line at that time
	open   int    // connected streams
}

// HitSummary returns a summary, made at most once a second, or once a minute if no line came: many pages may
// ask. The same pointer means that no number changed. made means that Rung makes the traffic itself, so no
// stream is needed.
func (l *Store) HitSummary(made bool) *HitSummary {
	now := l.now()
	streams := l.Streams()
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.summed; s != nil && (s.At.Unix() == now.Unix() || s.isSameSummary(l, streams, now)) {
		return s
	}
	s := &HitSummary{At: now, upto: l.newestSeq, open: len(streams) - streamsNotUp(streams), From: l.hits.From,
		Rules: map[logline.RuleRef]LineHits{}, logged: l.logged.copy(),
		Followed: made && streams == nil, Since: l.begunAt, NotFollowed: streamsNotUp(streams)}
	for _, r := range l.hits.Rules() {
		h := s.Rules[r.Ref]
		h.Merge(&r.LineHits)
		s.Rules[r.Ref] = h
	}
	for i := range streams {
		if !streams[i].IsUp() {
			continue
		}
		s.Followed, s.Since = true, laterTime(s.Since, streams[i].Since)
	}
	l.summed = s
	return s
}

// CountedSince returns the start of counting.
func (l *Store) CountedSince() time.Time {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.hits.From
}

// isSameSummary reports whether a new summary would have the same numbers.
func (s *HitSummary) isSameSummary(l *Store, streams []logline.Stream, now time.Time) bool {
	return s.upto == l.newestSeq && s.NotFollowed == streamsNotUp(streams) && s.open == len(streams)-s.NotFollowed &&
		now.Unix()/60 == s.At.Unix()/60 && maps.EqualFunc(s.logged, l.logged,
		func(a, b levelTimes) bool { return a.levels == b.levels })
}

func streamsNotUp(streams []logline.Stream) (n int) {
	for i := range streams {
		if !streams[i].IsUp() {
			n++
		}
	}
	return n
}

// RuleHits returns the hit rules, sorted by name, and the hits of rules beyond the bound.
func (l *Store) RuleHits() (rules []RuleHits, over uint64) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.hits.Rules(), l.hits.UncountedLines
}

// rateSeconds is the length of the window for rates.
const rateSeconds = len(RecentSeconds{})

// RuleStat counts the log lines of one rule.
type RuleStat struct {
	LineHits
	Seconds RecentSeconds
	// AtCap means that within these seconds an ACL of the rule logged as many lines in one second as its meter
	// allows: lines are then lost, silently (ovn-kubernetes.md#meter).
	AtCap bool
}

// statsPerRule returns the numbers of every hit rule; mu is held.
func (l *Store) statsPerRule(now time.Time) map[logline.RuleRef]RuleStat {
	out := make(map[logline.RuleRef]RuleStat, len(l.hits.rules))
	for r, x := range l.hits.rules {
		s := out[r.Ref]
		s.Merge(&x.LineHits)
		for i, n := range x.arrivals.LastSeconds(now.Unix()) {
			s.Seconds[i] += n
		}
		out[r.Ref] = s
	}
	for k, m := range l.meters.byACL {
		if s, ok := out[k.rule]; ok && m.isCapped(now) && !s.AtCap {
			s.AtCap = true
			out[k.rule] = s
		}
	}
	return out
}
