package logs

import (
	"cmp"
	"maps"
	"time"

	"rung/model/logline"
)

// longestTraffic bounds what a line may say of its protocol and verdict, which come from
// outside.
const longestTraffic = 64

// HitOf returns the rule, with its verdict, and the pair of ends that a line counts for,
// and its time. A node's clock that is ahead of now counts as now.
func HitOf(e *Entry, now time.Time) (Rule, Pair, time.Time) {
	at := e.Line.At
	if at.After(now) || at.Unix() <= 0 {
		at = now
	}
	ref := e.Rule
	ref.Exact = true // an attributed rule is known, cut name or no
	return Rule{Ref: ref, Verdict: cutToLength(e.Line.Verdict, longestTraffic)},
		Pair{From: endName(e.Src), To: endName(e.Dst), Traffic: cutToLength(e.Traffic(), longestTraffic)}, at
}

// endName is the pod or node of an end, or its address. A pod that went is still itself.
func endName(d End) string { return cmp.Or(NameOf(d.Key), d.Addr, "?") }

func cutToLength(s string, n int) string { return s[:min(len(s), n)] }

// countLine counts a line; mu is held.
func (l *Store) countLine(e *Entry, now time.Time) {
	if !e.Attributed {
		l.hits.Unknown++
		return
	}
	rule, pair, at := HitOf(e, now)
	if counted := l.hits.Add(rule, pair, at); counted != nil {
		counted.came.Add(now.Unix(), 1)
	}
}

// ResumeCounts adds what an earlier run counted.
func (l *Store) ResumeCounts(c *Counter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hits.Merge(c)
}

// Hits are the rules that were hit and the pairs, the most hits first, and since when
// they are counted; kept says that an earlier run counted some.
func (l *Store) Hits() (all []RuleHits, since time.Time, kept bool) {
	c := l.copyHits()
	return c.RulesWithPairs(), c.From, c.HasEarlier
}

// EncodeHits writes the counts for a later run.
func (l *Store) EncodeHits() ([]byte, error) { return l.copyHits().Encode() }

// copyHits copies the counts, so that lines need not wait until they are sorted.
func (l *Store) copyHits() *Counter {
	l.mu.RLock()
	defer l.mu.RUnlock()
	c := NewHits(l.hits.From)
	c.Merge(l.hits)
	return c
}

// HitSummary is the hits of rules at one time. It is never changed.
type HitSummary struct {
	At time.Time
	// From is since when hits are counted, Began since when this run does.
	From, Began time.Time
	// Rules are the hits of each rule, whatever it did.
	Rules map[logline.RuleRef]LineHits
	// Followed says that lines come at all, Since from when on; NotFollowed counts the
	// nodes whose lines do not.
	Followed    bool
	Since       time.Time
	NotFollowed int

	logged logTimes
	upto   uint64 // the newest line then
	open   int    // streams that stood
}

// HitSummary is made at most once a second, and where nothing came once a minute: many pages
// may ask. While it is the same, no number changed. made says that Rung makes
// the traffic itself, so that no stream is needed.
func (l *Store) HitSummary(made bool) *HitSummary {
	now := l.now()
	streams := l.Streams()
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.summed; s != nil && (s.At.Unix() == now.Unix() || s.isSameSummary(l, streams, now)) {
		return s
	}
	s := &HitSummary{At: now, upto: l.newestSeq, open: len(streams) - streamsNotUp(streams), From: l.hits.From, Began: l.begunAt,
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
		s.Followed = true
		if streams[i].Since.After(s.Since) {
			s.Since = streams[i].Since
		}
	}
	l.summed = s
	return s
}

// CountedSince is since when hits are counted.
func (l *Store) CountedSince() time.Time {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.hits.From
}

// isSameSummary says whether a new summary would say the same.
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

// RuleHits are the rules that were hit, in the order of their names, and the hits of rules
// beyond those that are counted apart.
func (l *Store) RuleHits() (rules []RuleHits, over uint64) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.hits.Rules(), l.hits.BeyondBound
}
