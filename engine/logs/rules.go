package logs

import (
	"time"

	"rung/engine/revision"
	"rung/model"
)

// rateSeconds is how far back rates go.
const rateSeconds = 10

// countedRules bounds the rules that are counted apart; names in log lines come
// from outside.
const countedRules = 10000

// RuleStat counts the log lines of one rule.
type RuleStat struct {
	Count uint64
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

// ruleCounts are what is counted, by rule.
type ruleCounts map[model.RuleRef]*ruleCount

type ruleCount struct {
	count   uint64
	seconds [rateSeconds]int
	head    int64 // second of the newest bucket
	meters  map[meterKey]meterCount
	capped  time.Time // when an ACL last reached its meter's rate
	zone    string
	rate    int
}

// meterKey is one ACL in one zone: every ACL has a meter of its own.
type meterKey struct{ zone, acl string }

// meterCount counts the lines of one second by the node's clock, so that lines
// which arrive late and together are not taken for a burst.
type meterCount struct {
	second int64
	n      int
}

func (c ruleCounts) count(e *Entry, acl string, rate int, now time.Time) {
	r := c[e.Rule]
	if r == nil {
		if len(c) >= countedRules {
			return
		}
		r = &ruleCount{head: now.Unix(), meters: map[meterKey]meterCount{}}
		c[e.Rule] = r
	}
	r.count++
	r.advance(now)
	r.seconds[rateSeconds-1]++

	key := meterKey{e.Line.Zone, acl}
	m, known := r.meters[key]
	if !known && len(r.meters) >= 1000 {
		clear(r.meters)
	}
	second := e.Line.At.Unix()
	if m.second != second {
		m = meterCount{second: second}
	}
	m.n++
	r.meters[key] = m
	if m.n >= rate {
		r.capped, r.zone, r.rate = now, e.Line.Zone, rate
	}
}

// advance moves the buckets on so that the last is the second of now.
func (r *ruleCount) advance(now time.Time) {
	r.seconds = r.at(now)
	r.head = max(r.head, now.Unix())
}

func (r *ruleCount) at(now time.Time) (out [rateSeconds]int) {
	d := max(0, now.Unix()-r.head) // the clock may have gone back
	for i := range out {
		if from := int64(i) + d; from < rateSeconds {
			out[i] = r.seconds[from]
		}
	}
	return out
}

func (r *ruleCount) stat(now time.Time) RuleStat {
	s := RuleStat{Count: r.count, Seconds: r.at(now)}
	if !r.capped.IsZero() && now.Sub(r.capped) < rateSeconds*time.Second {
		s.AtCap, s.CapZone, s.CapRate = true, r.zone, r.rate
	}
	return s
}

func (c ruleCounts) stats(now time.Time) map[model.RuleRef]RuleStat {
	out := make(map[model.RuleRef]RuleStat, len(c))
	for ref, r := range c {
		out[ref] = r.stat(now)
	}
	return out
}

// defaultMeterRate is OVN-Kubernetes' default (ovn-kubernetes.md#meter).
const defaultMeterRate = 20

// meterRate is how many lines an ACL of the zone may log in a second.
func meterRate(rev *revision.Revision, zone string) int {
	if rate, ok := rev.MeterRate(zone); ok {
		return rate
	}
	return defaultMeterRate
}
