package logs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/logline"
	"rung/model/words"
	"rung/revision"
)

// MeterLoss compares one ACL in one zone with the meter of its lines (ovn-kubernetes.md#lost-lines). It exists
// while the ACL logs at the meter's limit, and while lines are known to be lost.
type MeterLoss struct {
	Zone string
	Rule logline.RuleRef
	// Part distinguishes the rule's ACLs: a protocol, or empty for the only one.
	Part string
	// FullestSecond is the largest number of lines in one of the last ten seconds; Rate and Burst are the
	// meter's.
	FullestSecond, Rate, Burst int
	// AtLimit means that FullestSecond reached the meter's rate within these seconds.
	AtLimit bool
	// Lost is the number of lines the meter discarded since its creation, if Counted.
	Lost    uint64
	Counted bool
}

// String describes the ACL and its meter: "at the limit of 20 lines/s: lines are being lost, at least 213 so
// far".
func (x MeterLoss) String() string {
	limit := fmt.Sprintf("at the limit of %s lines/s", words.Thousands(x.Rate))
	switch {
	case x.Counted && x.Lost == 0:
		return limit + ": no line lost so far"
	case !x.AtLimit:
		return "below its limit again, " + words.Count(x.Lost, "line") + " lost so far"
	case x.Counted:
		return limit + ": lines are being lost, " + words.Count(x.Lost, "line") + " so far"
	}
	return limit + ": lines are being lost, how many is unknown"
}

// ShortText is a shorter String: "at the limit, 213 lines lost".
func (x MeterLoss) ShortText() string {
	switch {
	case !x.AtLimit:
		return words.Count(x.Lost, "line") + " lost before"
	case x.Counted:
		return "at the limit, " + words.Count(x.Lost, "line") + " lost"
	}
	return "at the limit, losing lines (not counted)"
}

// IsLosing reports whether lines are known or assumed to be lost now.
func (x MeterLoss) IsLosing() bool { return x.AtLimit && (!x.Counted || x.Lost > 0) }

// mostMeters bounds the ACLs compared with their meters.
const mostMeters = 10_000

// meterKey identifies one ACL in one zone: every ACL has its own meter.
type meterKey struct {
	zone string
	rule logline.RuleRef
	acl  string
}

// aclMeters holds the recent lines of ACLs, to compare with their meters.
type aclMeters struct {
	byACL  map[meterKey]*meteredLines
	forgot time.Time // when ACLs without lines were last dropped
}

// meteredLines counts lines by second of the node's clock, so that lines arriving late and together do not
// look like a burst.
type meteredLines struct {
	seconds       Window
	newestArrival time.Time // arrival of the newest line
	reached       time.Time // when a second last reached the meter's rate
	rate, burst   int       // its zone's meter for each ACL; rate 0: no limit
	name          string    // the ACLs' name, from the lines
	rows          []string  // the ACLs, by UUID
	looked        time.Time // last search for rows
}

// The rows of an ACL at its limit are looked up every rowsEvery, and every missingRowsEvery until found. Lines
// may come before the rows of their zone are read.
const (
	rowsEvery        = 10 * time.Second
	missingRowsEvery = time.Second
)

func (m *meteredLines) isCapped(now time.Time) bool {
	return !m.reached.IsZero() && now.Sub(m.reached) < time.Duration(rateSeconds)*time.Second
}

// ensureLines returns the lines of one ACL in one zone; nil without room for it.
func (c *aclMeters) ensureLines(k meterKey, now time.Time) *meteredLines {
	if c.byACL[k] == nil && len(c.byACL) >= mostMeters {
		c.forgetIdle(now)
	}
	if c.byACL[k] == nil && len(c.byACL) < mostMeters {
		c.byACL[k] = &meteredLines{}
	}
	return c.byACL[k]
}

// setMeter reads the meter of the ACL's zone.
func (m *meteredLines) setMeter(rev *revision.Revision, zone string) {
	m.rate, m.burst = DefaultMeterRate, 0 // if the zone's rows are unknown
	if z := rev.Zone(zone); z != nil && z.DB != nil {
		m.rate, m.burst, _ = revision.LogMeter(rev, zone)
	}
}

// countLine counts a line of an ACL.
func (m *meteredLines) countLine(at, now time.Time) {
	m.newestArrival = now
	second := at.Unix()
	if second < m.seconds.newest-int64(rateSeconds) { // the node's clock was set back
		m.seconds = Window{}
	}
	if n := m.seconds.Add(second, 1); m.rate != 0 && n >= m.rate {
		m.reached = now
	}
}

// needsRows reports whether to look up the rows behind the lines: while the ACL is at its limit.
func (m *meteredLines) needsRows(now time.Time) bool {
	wait := words.Choose(len(m.rows) == 0, missingRowsEvery, rowsEvery)
	return m.isCapped(now) && (m.looked.IsZero() || now.Sub(m.looked) >= wait)
}

// FindMeteredRows looks up the rows of the ACLs at their limit, so that Losses can count their lost lines. It
// walks the rows of their zones, so do not call it from a screen's goroutine.
func (l *Store) FindMeteredRows() {
	now, rev := l.now(), l.rev()
	names := map[meterKey]string{}
	l.mu.RLock()
	for k, m := range l.meters.byACL {
		if m.needsRows(now) {
			names[k] = m.name
		}
	}
	l.mu.RUnlock()
	for k, name := range names {
		rows := liveRowUUIDs(rev, k, name)
		l.mu.Lock()
		if m := l.meters.byACL[k]; m != nil {
			m.rows, m.looked = rows, now
		}
		l.mu.Unlock()
	}
}

// forgetIdle drops the ACLs without recent lines, at most once a second.
func (c *aclMeters) forgetIdle(now time.Time) {
	if d := now.Sub(c.forgot); d >= 0 && d < time.Second {
		return
	}
	c.forgot = now
	maps.DeleteFunc(c.byACL, func(_ meterKey, m *meteredLines) bool {
		return now.Sub(m.newestArrival) > time.Duration(rateSeconds)*time.Second
	})
}

// liveRowUUIDs returns the UUIDs of an ACL's live rows in a zone. They have the name in the line.
func liveRowUUIDs(rev *revision.Revision, k meterKey, name string) (out []string) {
	z := rev.Zone(k.zone)
	if z == nil || z.DB == nil {
		return nil
	}
	deny := unitOf(k.rule)
	for a := range z.DB.ACLs() {
		if !a.Log || a.Name != name {
			continue
		}
		o := revision.OwnerOfIDs(a.ExternalIDs)
		if deny != k.rule.Policy {
			if unit, ok := revision.UnitOfOwner(o); ok && unit == deny {
				out = append(out, a.UUID)
			}
			continue
		}
		p, dir, i, ok := revision.RuleOfIDs(a.ExternalIDs)
		if ok && p == k.rule.Policy && dir == k.rule.Direction && i == k.rule.Rule &&
			(k.acl == "" || !slices.Contains([]string{"tcp", "udp", "sctp"}, o.Protocol) || o.Protocol == k.acl) {
			out = append(out, a.UUID)
		}
	}
	return out
}

// CountLossesWith sets the counter of lines that an ACL's meter discards, for a row by its UUID in a zone; ok
// is false if unknown. f must return at once.
func (l *Store) CountLossesWith(f func(zone, acl string) (lost uint64, ok bool)) {
	l.linesLost.Store(&f)
}

// Losses lists the ACLs at their meter's limit, now or recently, with the lines lost; ACLs at the limit come
// first.
func (l *Store) Losses() (out []MeterLoss) {
	now := l.now()
	f := l.linesLost.Load()
	l.mu.RLock()
	defer l.mu.RUnlock()
	for k, m := range l.meters.byACL {
		if m.reached.IsZero() {
			continue
		}
		x := MeterLoss{Zone: k.zone, Rule: k.rule, Part: k.acl, Rate: m.rate, Burst: max(m.rate, m.burst), AtLimit: m.isCapped(now)}
		if now.Sub(m.newestArrival) < time.Duration(rateSeconds)*time.Second {
			seconds := m.seconds.LastSeconds(m.seconds.newest)
			x.FullestSecond = slices.Max(seconds[:])
		}
		x.Counted = f != nil && len(m.rows) > 0
		for _, uuid := range m.rows {
			if !x.Counted {
				break
			}
			n, ok := (*f)(k.zone, uuid)
			x.Lost, x.Counted = x.Lost+n, ok
		}
		if x.AtLimit || x.Counted && x.Lost > 0 {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b MeterLoss) int {
		return cmp.Or(model.FalseFirst(b.AtLimit, a.AtLimit), cmp.Compare(b.Lost, a.Lost), cmp.Compare(b.FullestSecond, a.FullestSecond),
			strings.Compare(a.Zone, b.Zone),
			a.Rule.Policy.Compare(b.Rule.Policy), cmp.Compare(a.Rule.Direction, b.Rule.Direction),
			cmp.Compare(a.Rule.Rule, b.Rule.Rule), strings.Compare(a.Part, b.Part))
	})
	return out
}

// DefaultMeterRate is OVN-Kubernetes' default (ovn-kubernetes.md#meter).
const DefaultMeterRate = 20

// ACLText names the ACL for people: "cluster-control egress 5 (tcp)".
func (x MeterLoss) ACLText() string {
	text := ruleText(x.Rule, "")
	if x.Part != "" {
		text += " (" + x.Part + ")"
	}
	return text
}
