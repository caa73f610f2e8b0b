package zones

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"rung/engine/logs"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/sources/retry"
)

const (
	// MetersEvery is the time between two reads of a zone's meters on OVN while one of its ACLs is at its
	// limit; MetersInPodEvery applies if that runs a program in a pod.
	MetersEvery      = time.Second
	MetersInPodEvery = 10 * time.Second
	// metersFailed is the pause after a zone's meters could not be read.
	metersFailed = time.Minute
	metersWithin = 10 * time.Second
	// mostMeterText bounds the output about a node's meters.
	mostMeterText = 4 << 20
)

// lostLines counts the lines that meters discarded, as last read from the datapath.
type lostLines struct {
	mu    sync.Mutex
	zones map[string]*zoneMeters
}

type zoneMeters struct {
	stats       map[string]flow.MeterStat
	readAgainAt time.Time // earliest next read
	open        bool      // an ACL was at its limit at the last read: more lines may be lost
}

// linesLost returns how many lines of an ACL its meter discarded.
func (l *lostLines) linesLost(zone, acl string) (n uint64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	z := l.zones[zone]
	if z == nil {
		return 0, false
	}
	s, ok := z.stats[flow.MeterOfACL(nb.LoggingMeter, acl)]
	return s.Dropped, ok
}

// noteMeters stores the result of a read; without stats the zone is not counted.
func (l *lostLines) noteMeters(zone string, z zoneMeters) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.zones[zone] = &z
}

// dueZones returns the zones whose meters to read now, each with whether an ACL is at its limit: zones with
// losses, and once more zones that may have lost lines since their last read. It forgets the others.
func (l *lostLines) dueZones(losses []logs.MeterLoss, now time.Time) (due map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	limited := map[string]bool{}
	for _, x := range losses {
		limited[x.Zone] = limited[x.Zone] || x.AtLimit
	}
	due = map[string]bool{}
	for zone, z := range l.zones {
		atLimit, losing := limited[zone]
		switch {
		case (atLimit || z.open) && !now.Before(z.readAgainAt):
			due[zone] = atLimit
		case !losing && !z.open:
			delete(l.zones, zone)
		}
	}
	for zone, atLimit := range limited {
		if l.zones[zone] == nil && atLimit {
			due[zone] = true
		}
	}
	return due
}

// RunMeters reads the meters of zones with an ACL at its limit, until ctx ends: lines are lost there, and only
// the datapath knows how many.
func RunMeters(ctx context.Context, store *logs.Store, every time.Duration, read func(context.Context, string) (map[string]flow.MeterStat,
	error)) {
	l := &lostLines{zones: map[string]*zoneMeters{}}
	store.CountLossesWith(l.linesLost)
	for retry.Sleep(ctx, MetersEvery) {
		for zone, limited := range l.dueZones(store.Losses(), time.Now()) {
			within, cancel := context.WithTimeout(ctx, metersWithin)
			stats, err := read(within, zone)
			cancel()
			next := every
			if err != nil {
				stats, next = nil, max(every, metersFailed)
			}
			l.noteMeters(zone, zoneMeters{stats, time.Now().Add(next), limited})
		}
	}
}

// ReadMeters reads a node's meters in its ovnkube-node pod.
func (p *Pods) ReadMeters(ctx context.Context, node string) (map[string]flow.MeterStat, error) {
	pod, err := p.Cluster.ZonePod(ctx, node, p.Namespaces)
	if err != nil {
		return nil, err
	}
	target := pod.Target()
	if slices.Contains(pod.Containers, "ovn-controller") {
		target.Container = "ovn-controller" // it has the sockets of both
	}
	run := func(cmd ...string) (string, error) {
		out, err := p.RunProgram(ctx, target, cmd, metersWithin, mostMeterText)
		if err != nil {
			return "", fmt.Errorf("reading the meters of %s in %s: %w", node, target, err)
		}
		return string(out), nil
	}
	list, err := run("ovn-appctl", "-t", "ovn-controller", "meter-table-list")
	if err != nil {
		return nil, err
	}
	stats, err := run("ovs-ofctl", "-O", "OpenFlow15", "meter-stats", "br-int")
	if err != nil {
		return nil, err
	}
	return flow.ParseMeters(list, stats), nil
}
