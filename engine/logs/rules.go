package logs

import (
	"time"

	"rung/model/logline"
)

// rateSeconds is how far back rates go.
const rateSeconds = len(RecentSeconds{})

// countedRules bounds the rules whose rates are known; names in log lines come from
// outside.
const countedRules = 10000

// RuleStat counts the log lines of one rule.
type RuleStat struct {
	LineHits
	Seconds RecentSeconds
	// AtCap says that within these seconds an ACL of the rule logged as many
	// lines in one second as its meter lets through in CapZone: lines are being
	// lost then, silently (ovn-kubernetes.md#meter). CapRate is the meter's rate.
	AtCap   bool
	CapZone string
	CapRate int
}

// ruleRates are the lines of the last seconds, by rule and by when they came.
type ruleRates map[logline.RuleRef]*Window

// rateOf is the rate of a rule, nil where there is no room for it.
func (c ruleRates) rateOf(ref logline.RuleRef) *Window {
	r := c[ref]
	if r == nil && len(c) < countedRules {
		r = &Window{}
		c[ref] = r
	}
	return r
}

// statsPerRule are the numbers of every rule that was hit; mu is held.
func (l *Store) statsPerRule(now time.Time) map[logline.RuleRef]RuleStat {
	rules := l.hits.Rules()
	out := make(map[logline.RuleRef]RuleStat, len(rules))
	for i := range rules {
		ref := rules[i].Ref
		s := out[ref]
		s.Merge(&rules[i].LineHits)
		if r := l.rates[ref]; r != nil {
			s.Seconds = r.LastSeconds(now.Unix())
		}
		out[ref] = s
	}
	for k, m := range l.meters.byACL {
		if s, ok := out[k.rule]; ok && m.isCapped(now) && !s.AtCap {
			s.AtCap, s.CapZone, s.CapRate = true, k.zone, m.rate
			out[k.rule] = s
		}
	}
	return out
}
