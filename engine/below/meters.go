package below

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"rung/engine/logs"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
)

const (
	// MetersEvery is how often the meters of a zone on OVN are read while an ACL of it is
	// at its limit; MetersInPodEvery where that takes a program in a pod.
	MetersEvery      = time.Second
	MetersInPodEvery = 10 * time.Second
	// metersFailed is how long a zone is left alone whose meters could not be read.
	metersFailed = time.Minute
	metersWithin = 10 * time.Second
	// mostMeterText bounds what a node says of its meters.
	mostMeterText = 4 << 20
)

// lostLines are the lines that meters discarded, as last read from the datapath.
type lostLines struct {
	mu    sync.Mutex
	zones map[string]*zoneMeters
}

type zoneMeters struct {
	stats       map[string]flow.MeterStat
	readAgainAt time.Time // when they may be read again
	open        bool      // an ACL was at its limit when they were read: there may be more lost lines
}

// linesLost is how many lines of an ACL its meter discarded.
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

// isDue says whether a zone's meters are to be read now: while an ACL of it is at its limit,
// and once more after that, for what was lost since they were read last.
func (l *lostLines) isDue(zone string, limited bool, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	z := l.zones[zone]
	if z == nil {
		return limited
	}
	return (limited || z.open) && !now.Before(z.readAgainAt)
}

// noteMeters keeps what was read; a zone that could not be read is not counted.
func (l *lostLines) noteMeters(zone string, z zoneMeters) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.zones[zone] = &z
}

// forgetZones lets go of zones whose meters hold nothing back.
func (l *lostLines) forgetZones(want []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for zone := range l.zones {
		if !slices.Contains(want, zone) {
			delete(l.zones, zone)
		}
	}
}

// RunMeters reads the meters of zones in which an ACL is at its limit, until the loop
// ends: there lines are lost, and only the datapath knows how many.
func RunMeters(ctx context.Context, store *logs.Store, every time.Duration, read func(context.Context, string) (map[string]flow.MeterStat, error)) {
	l := &lostLines{zones: map[string]*zoneMeters{}}
	store.CountLossesWith(l.linesLost)
	ticker := time.NewTicker(MetersEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		var known []string
		limited := map[string]bool{}
		for _, x := range store.Losses() { // those at the limit first
			if !slices.Contains(known, x.Zone) {
				known = append(known, x.Zone)
				limited[x.Zone] = x.AtLimit
			}
		}
		l.forgetZones(known)
		for _, zone := range known {
			if !l.isDue(zone, limited[zone], time.Now()) {
				continue
			}
			within, cancel := context.WithTimeout(ctx, metersWithin)
			stats, err := read(within, zone)
			cancel()
			next := every
			if err != nil {
				stats, next = nil, max(every, metersFailed)
			}
			l.noteMeters(zone, zoneMeters{stats, time.Now().Add(next), limited[zone]})
		}
	}
}

// ReadMeters reads those of a node, in its ovnkube-node pod.
func (p *Pods) ReadMeters(ctx context.Context, node string) (map[string]flow.MeterStat, error) {
	pod, err := p.Cluster.ZonePod(ctx, node, p.Namespaces)
	if err != nil {
		return nil, err
	}
	target := pod.Target()
	if slices.Contains(pod.Containers, "ovn-controller") {
		target.Container = "ovn-controller" // it sees the sockets of both
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
