package sandbox

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"rung/model"
	"rung/model/logline"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/sources/acllog"
	"rung/sources/retry"
)

// TrafficConfig configures traffic.
type TrafficConfig struct {
	// Rate is the number of connections per second (default 20).
	Rate float64
	// Seed makes connections reproducible for the same rows and pods.
	Seed uint64
	// Sandbox receives the packets if its zones run on OVN. Otherwise, or if nil, connections are simulated.
	Sandbox *Sandbox
	// Slots limits the traffic's computing; nil has no limit.
	Slots retry.Slots
}

// TrafficStats has counts since the start.
type TrafficStats struct {
	Connections uint64 // started
	Dropped     uint64 // of these, dropped by a row
	Lines       uint64 // written
	// Limited counts lines withheld by the meter; a cluster has no such count.
	Limited uint64
	// Unjudged counts matches that could not be evaluated and were skipped.
	Unjudged uint64
}

// Traffic makes pods connect to pods and to the outside. In zones on OVN it sends the first packet of each
// connection, and ovn-controller writes the log; Limited and Unjudged stay 0. Elsewhere it simulates: the live
// rows decide, and logging rows write ovn-controller's lines.
//
// A pod under a NetworkPolicy takes part only if its zone has the rows of the namespace's NetworkPolicies.
type Traffic struct {
	rate    atomic.Uint64 // per 1000 seconds
	sandbox *Sandbox
	slots   retry.Slots
	stats   struct{ connections, dropped, lines, limited, unjudged atomic.Uint64 }

	mu      sync.Mutex // held during Run
	random  *rand.Rand
	world   *trafficWorld
	matches verdict.MatchCache
	meters  meterBuckets
	seq     map[string]uint64
	recent  []trafficFlow

	withheld withheldLines
}

// tick is the interval of new connections. refresh limits the age of the view of pods and rows, unless
// renewing it takes more than one part in refreshShare of the time.
const (
	tick         = 50 * time.Millisecond
	refresh      = 250 * time.Millisecond
	refreshShare = 40
)

// NewTraffic returns traffic that Run starts.
func NewTraffic(cfg TrafficConfig) *Traffic {
	t := &Traffic{random: rand.New(rand.NewPCG(cfg.Seed, 0x72756e67)), world: &trafficWorld{},
		meters: meterBuckets{}, seq: map[string]uint64{}, slots: cfg.Slots, withheld: withheldLines{byACL: map[aclKey]uint64{}}}
	if cfg.Sandbox.OVN() != "" {
		t.sandbox = cfg.Sandbox
	}
	t.SetRate(cfg.Rate)
	if cfg.Rate <= 0 {
		t.SetRate(20)
	}
	return t
}

// SetRate sets the number of connections per second; 0 means none.
func (t *Traffic) SetRate(perSecond float64) { t.rate.Store(uint64(max(perSecond, 0) * 1000)) }

// Stats returns the counts so far.
func (t *Traffic) Stats() TrafficStats {
	return TrafficStats{Connections: t.stats.connections.Load(), Dropped: t.stats.dropped.Load(), Lines: t.stats.lines.Load(),
		Limited: t.stats.limited.Load(), Unjudged: t.stats.unjudged.Load()}
}

// LogLine is a line of a zone's log in ovn-controller's format.
type LogLine struct{ Zone, Text string }

// Run starts connections until ctx ends, and sends each log line to lines. The caller must read lines until
// Run closes it. snapshot returns the current pods and the zones' rows.
func (t *Traffic) Run(ctx context.Context, snapshot func() (*model.Cluster, map[string]*nb.DB), lines chan<- LogLine) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer close(lines)
	sink := func(zone, text string) { lines <- LogLine{zone, text} }
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	due, renew := 0.0, time.Time{}
	begin := func(now time.Time) {
		if f, ok := t.pickFlow(); ok {
			t.walkConnection(now, &f, sink)
		}
	}
	if t.sandbox != nil {
		p := t.newPacketSender(ctx, sink)
		defer p.wg.Wait()
		begin = func(time.Time) { p.beginConnection() }
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		due += float64(t.rate.Load()) / 1000 * tick.Seconds()
		if due < 1 {
			continue
		}
		release := t.slots.TakeSlot()
		now := time.Now()
		if !now.Before(renew) {
			c, zones := snapshot()
			t.refreshWorld(c, zones, now)
			renew = now.Add(max(refresh, refreshShare*time.Since(now)))
		}
		for ; due >= 1; due-- {
			begin(now)
		}
		release()
	}
}

// walkConnection simulates a connection's first packet and writes its log lines.
func (t *Traffic) walkConnection(now time.Time, f *trafficFlow, sink func(zone, line string)) {
	t.stats.connections.Add(1)
	passed := true
	for _, s := range f.packetStages() {
		z := t.world.zones[s.zone]
		if z == nil {
			continue
		}
		// The deciders are ACLs that passed the packet on and the one, if any, that ended the stage; without
		// it the packet is allowed (ovn-kubernetes.md#stages). Among equal priorities the winner is undefined;
		// here the lower UUID wins. ACLs that cannot be evaluated are skipped.
		deciders, unjudged := z.WalkStage(s.name, s.logicalPort, s.packet)
		t.stats.unjudged.Add(unjudged)
		for _, acl := range deciders {
			passed = acl.Action != nb.ActionDrop && acl.Action != nb.ActionReject
			if acl.Log {
				t.logVerdict(now, z, s, acl, sink)
			}
		}
		if !passed {
			t.stats.dropped.Add(1)
			return
		}
	}
}

func (t *Traffic) logVerdict(now time.Time, z *verdict.Zone, s walkStage, acl *nb.ACL, sink func(zone, line string)) {
	if !t.meters.allowsMessage(z, acl, now) {
		t.stats.limited.Add(1)
		t.withheld.countLine(z.Name, acl.UUID)
		return
	}
	t.seq[z.Name]++
	l := logline.Line{At: now, Zone: z.Name, Seq: t.seq[z.Name], Name: acl.Name, Unnamed: acl.Name == "", Verdict: acl.Action,
		Severity: cmp.Or(acl.Severity, "info"), Direction: acl.Direction, Proto: string(s.packet.Proto), Src: s.packet.Src,
		Dst: s.packet.Dst, SrcPort: s.packet.SrcPort, DstPort: s.packet.DstPort}
	if acl.Action == nb.ActionAllowRelated || acl.Action == nb.ActionAllowStateless {
		l.Verdict = nb.ActionAllow
	}
	if s.packet.Proto == match.TCP {
		l.TCPFlags = "syn"
	}
	t.stats.lines.Add(1)
	sink(z.Name, acllog.Format(l))
}

// meterBuckets holds the token buckets of referenced meters.
type meterBuckets map[meterKey]*rate.Limiter

// meterKey identifies a bucket: a fair meter has one per ACL, an unfair one has one for all ACLs of a zone.
type meterKey struct{ zone, meter, acl string }

// allowsMessage reports whether the meter allows one more message. It allows its band's rate per second, and
// at once at most a second's worth, or the band's burst if larger.
func (m meterBuckets) allowsMessage(z *verdict.Zone, acl *nb.ACL, now time.Time) bool {
	meter := z.DB.MeterByName(acl.Meter)
	if meter == nil || len(meter.Bands) == 0 || z.DB.Band(meter.Bands[0]) == nil {
		return true
	}
	band, k := z.DB.Band(meter.Bands[0]), meterKey{zone: z.Name, meter: meter.Name}
	if meter.Fair {
		k.acl = acl.UUID
	}
	limit, burst := rate.Limit(band.Rate), max(band.Rate, band.BurstSize)
	if m[k] == nil {
		m[k] = rate.NewLimiter(limit, burst)
	}
	m[k].SetLimitAt(now, limit)
	m[k].SetBurstAt(now, burst)
	return m[k].AllowN(now, 1)
}

// dropFull drops full buckets: new buckets are full too.
func (m meterBuckets) dropFull(now time.Time) {
	maps.DeleteFunc(m, func(_ meterKey, b *rate.Limiter) bool { return b.TokensAt(now) >= float64(b.Burst()) })
}

// trafficFlow is a connection from a pod to a pod or to the outside.
type trafficFlow struct {
	src, dst         *podEndpoint // dst nil: outside
	from, to         netip.Addr
	proto            match.Proto
	srcPort, dstPort uint16
}

// packetStages returns the stages of the packet in order: on each switch before load balancing, after it, and to
// the output port. A packet to another node leaves the source's switch and enters the destination's by the
// router's port. Its output port is unknown in the first two stages.
func (f *trafficFlow) packetStages() (out []walkStage) {
	pass := func(zone, at, in, to string) {
		p := match.Packet{InPort: in, Src: f.from, Dst: f.to, Proto: f.proto, SrcPort: f.srcPort, DstPort: f.dstPort}
		left := p
		left.OutPort = to
		out = append(out, walkStage{zone, at, model.StageFromLport, p}, walkStage{zone, at, model.StageAfterLB, p},
			walkStage{zone, at, model.StageToLport, left})
	}
	if f.dst != nil && f.dst.zone == f.src.zone {
		pass(f.src.zone, f.src.lport, f.src.lport, f.dst.lport)
		return out
	}
	pass(f.src.zone, f.src.lport, f.src.lport, nb.RouterPort(f.src.zone))
	if f.dst != nil {
		pass(f.dst.zone, f.dst.lport, nb.RouterPort(f.dst.zone), f.dst.lport)
	}
	return out
}

// walkStage is one ACL stage of a packet.
type walkStage struct {
	zone        string
	logicalPort string // a logical port of the stage's switch
	name        model.Stage
	packet      match.Packet
}
