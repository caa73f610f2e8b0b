package logs

import (
	"time"

	"rung/model/logline"
)

// rateSeconds is the length of the window for rates.
const rateSeconds = len(RecentSeconds{})

// RuleStat counts the log lines of one rule.
type RuleStat struct {
	LineHits
	Seconds RecentSeconds
	// AtCap means that within these seconds an ACL of the rule logged as many lines in one second as its meter
	// allows in CapZone: lines are then lost, silently (ovn-kubernetes.md#meter). CapRate is the meter's rate.
	AtCap   bool
	CapZone string
	CapRate int
}

// statsPerRule returns the numbers of every hit rule; mu is held.
func (l *Store) statsPerRule(now time.Time) map[logline.RuleRef]RuleStat {
	out := make(map[logline.RuleRef]RuleStat, len(l.hits.rules))
	for r, x := range l.hits.rules {
		s := out[r.Ref]
		s.Merge(&x.LineHits)
		for i, n := range x.came.LastSeconds(now.Unix()) {
			s.Seconds[i] += n
		}
		out[r.Ref] = s
	}
	for k, m := range l.meters.byACL {
		if s, ok := out[k.rule]; ok && m.isCapped(now) && !s.AtCap {
			s.AtCap, s.CapZone, s.CapRate = true, k.zone, m.rate
			out[k.rule] = s
		}
	}
	return out
}
