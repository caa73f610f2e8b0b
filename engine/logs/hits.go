package logs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rung/model/logline"
)

const (
	// mostRules and mostPairs bound the rules and pairs counted separately: names and addresses in log lines
	// come from outside.
	mostRules = 10_000
	mostPairs = 20_000
)

// LineHits counts the log lines of one rule or pair.
type LineHits struct {
	Count uint64    `json:"count"`
	First time.Time `json:"first"` // by the nodes' clocks
	Last  time.Time `json:"last"`

	minutes Window
}

func unixMinute(t time.Time) int64 { return t.Unix() / 60 }

// AddLine counts one line of that time.
func (h *LineHits) AddLine(at time.Time) {
	h.Count++
	h.extendTo(at, at)
	h.minutes.Add(unixMinute(at), 1)
}

func (h *LineHits) extendTo(first, last time.Time) {
	h.First, h.Last = earlierTime(h.First, first), laterTime(h.Last, last)
}

// RecentLines returns the number of lines in the last Recent minutes, including the running minute.
func (h *LineHits) RecentLines(now time.Time) (n uint64) {
	end := unixMinute(now)
	for m := end - Recent + 1; m <= end; m++ {
		n += uint64(h.minutes.LinesAt(m))
	}
	return n
}

// Merge adds the lines that o counted.
func (h *LineHits) Merge(o *LineHits) {
	if o.Count == 0 {
		return
	}
	h.Count += o.Count
	h.extendTo(o.First, o.Last)
	for m := o.minutes.newest; m > o.minutes.newest-Recent; m-- { // newest first, so that no old minute is dropped twice
		h.minutes.Add(m, o.minutes.LinesAt(m))
	}
}

// Rule is a rule with its verdict: a changed rule has lines of both actions.
type Rule struct {
	Ref     logline.RuleRef
	Verdict string // as in the log: allow, drop, reject, pass
}

func (r Rule) compare(o Rule) int {
	return cmp.Or(r.Ref.Policy.Compare(o.Ref.Policy), cmp.Compare(r.Ref.Direction, o.Ref.Direction),
		cmp.Compare(r.Ref.Rule, o.Ref.Rule), cmp.Compare(r.Verdict, o.Verdict))
}

// Pair is a sender, a receiver and their traffic: the ends are pods, nodes, or unowned addresses.
type Pair struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Traffic string `json:"traffic"`
}

func (p Pair) compare(o Pair) int {
	return cmp.Or(strings.Compare(p.From, o.From), strings.Compare(p.To, o.To), strings.Compare(p.Traffic, o.Traffic))
}

// Counter counts lines. It is not safe for concurrent use.
type Counter struct {
	// From is when counting began.
	From time.Time
	// HasEarlier means that an earlier run counted some lines.
	HasEarlier bool
	// Unknown counts lines without a known rule, UncountedLines lines of rules beyond the bound.
	Unknown, UncountedLines uint64

	rules map[Rule]*countedRule
	pairs int
}

type countedRule struct {
	LineHits
	pairs          map[Pair]*LineHits
	uncountedPairs uint64 // lines of pairs not counted separately
	arrivals       Window // lines by second of arrival
}

// NewHits returns a counter that begins now.
func NewHits(now time.Time) *Counter { return &Counter{From: now, rules: map[Rule]*countedRule{}} }

func (c *Counter) ruleEntry(r Rule) *countedRule {
	x := c.rules[r]
	if x == nil && len(c.rules) < mostRules {
		x = &countedRule{pairs: map[Pair]*LineHits{}}
		r.Verdict = strings.Clone(r.Verdict) // do not keep the whole line
		c.rules[r] = x
	}
	return x
}

func (c *Counter) pairEntry(x *countedRule, p Pair) *LineHits {
	h := x.pairs[p]
	if h == nil && c.pairs < mostPairs {
		h = &LineHits{}
		p.Traffic = strings.Clone(p.Traffic) // do not keep the whole line
		x.pairs[p] = h
		c.pairs++
	}
	return h
}

// Add counts a line. It returns the line's rule; nil beyond the bound.
func (c *Counter) Add(r Rule, p Pair, at time.Time) *countedRule {
	rule := c.ruleEntry(r)
	if rule == nil {
		c.UncountedLines++
		return nil
	}
	rule.AddLine(at)
	if h := c.pairEntry(rule, p); h != nil {
		h.AddLine(at)
	} else {
		rule.uncountedPairs++
	}
	return rule
}

// Merge adds the lines and hits that o counted.
func (c *Counter) Merge(o *Counter) {
	c.Unknown += o.Unknown
	c.UncountedLines += o.UncountedLines
	if o.From.Before(c.From) {
		c.From = o.From
	}
	c.HasEarlier = c.HasEarlier || o.HasEarlier
	for r, from := range o.rules {
		x := c.ruleEntry(r)
		if x == nil {
			c.UncountedLines += from.Count
			continue
		}
		x.Merge(&from.LineHits)
		x.uncountedPairs += from.uncountedPairs
		for p, h := range from.pairs {
			if to := c.pairEntry(x, p); to != nil {
				to.Merge(h)
			} else {
				x.uncountedPairs += h.Count
			}
		}
	}
}

// RuleHits is a rule with its hits and its pairs, most hits first.
type RuleHits struct {
	Rule
	LineHits
	Pairs []PairHits
	// UncountedPairs are the hits of pairs not counted separately.
	UncountedPairs uint64
}

// PairHits is a pair with its hits.
type PairHits struct {
	Pair
	LineHits
}

// Rules returns the hit rules, sorted by name, without their pairs.
func (c *Counter) Rules() []RuleHits {
	out := make([]RuleHits, 0, len(c.rules))
	for r, x := range c.rules {
		out = append(out, RuleHits{Rule: r, LineHits: x.LineHits, UncountedPairs: x.uncountedPairs})
	}
	slices.SortFunc(out, func(a, b RuleHits) int { return a.Rule.compare(b.Rule) })
	return out
}

// RulesWithPairs returns the hit rules with their pairs, most hits first.
func (c *Counter) RulesWithPairs() []RuleHits {
	out := c.Rules()
	for i := range out {
		x := c.rules[out[i].Rule]
		for p, h := range x.pairs {
			out[i].Pairs = append(out[i].Pairs, PairHits{p, *h})
		}
		slices.SortFunc(out[i].Pairs, func(a, b PairHits) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), a.Pair.compare(b.Pair))
		})
	}
	slices.SortStableFunc(out, func(a, b RuleHits) int { return cmp.Compare(b.Count, a.Count) })
	return out
}
