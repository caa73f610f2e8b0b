package logs

import (
	"time"

	"rung/engine/logs/hits"
	"rung/model/logline"
)

// rateSeconds is how far back rates go.
const rateSeconds = 10

// countedRules bounds the rules whose rates are known; names in log lines come from
// outside.
const countedRules = 10000

// RuleStat counts the log lines of one rule.
type RuleStat struct {
	hits.Hit
	// Seconds are the lines of the last ten seconds, the newest last; it is the
	// second that is still running.
	Seconds [rateSeconds]int
	// AtCap says that within these seconds an ACL of the rule logged as many
	// lines in one second as its meter lets through in CapZone: lines are being
	// lost then, silently (ovn-kubernetes.md#meter). CapRate is the meter's rate.
	AtCap   bool
	CapZone string
	CapRate int
}

// Rate is the lines of the last full second.
func (s RuleStat) Rate() int { return s.Seconds[rateSeconds-2] }

// ruleRates are the lines of the last seconds, by rule.
type ruleRates map[logline.RuleRef]*ruleRate

type ruleRate struct {
	seconds [rateSeconds]int
	head    int64 // second of the newest bucket
}

// of is the rate of a rule, nil where there is no room for it.
func (c ruleRates) of(ref logline.RuleRef, now time.Time) *ruleRate {
	r := c[ref]
	if r == nil && len(c) < countedRules {
		r = &ruleRate{head: now.Unix()}
		c[ref] = r
	}
	return r
}

func (r *ruleRate) count(now time.Time) {
	if now.Unix() > r.head {
		r.advance(now)
	}
	r.seconds[rateSeconds-1]++
}

// advance moves the buckets on so that the last is the second of now.
func (r *ruleRate) advance(now time.Time) {
	r.seconds = r.at(now)
	r.head = max(r.head, now.Unix())
}

func (r *ruleRate) at(now time.Time) (out [rateSeconds]int) {
	d := max(0, now.Unix()-r.head) // the clock may have gone back
	for i := range out {
		if from := int64(i) + d; from < rateSeconds {
			out[i] = r.seconds[from]
		}
	}
	return out
}

// perRule are the numbers of every rule that was hit; mu is held.
func (l *Store) perRule(now time.Time) map[logline.RuleRef]RuleStat {
	rules := l.hits.Rules()
	out := make(map[logline.RuleRef]RuleStat, len(rules))
	for i := range rules {
		ref := rules[i].Ref
		s := out[ref]
		s.Merge(&rules[i].Hit)
		if r := l.rates[ref]; r != nil {
			s.Seconds = r.at(now)
		}
		out[ref] = s
	}
	for k, m := range l.meters.by {
		if s, ok := out[k.rule]; ok && m.capped(now) && !s.AtCap {
			s.AtCap, s.CapZone, s.CapRate = true, k.zone, m.rate
			out[k.rule] = s
		}
	}
	return out
}
