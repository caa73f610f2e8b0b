package sandbox

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"sync"
	"time"

	"rung/model/ovn/match"
	"rung/sources/retry"
)

const (
	// logPoll is how often ovn-controller's logs are read.
	logPoll = 100 * time.Millisecond
	// longLog is the length at which a log is emptied after reading.
	longLog = 4 << 20
	// longLine limits a line without end.
	longLine = 64 << 10
	// packetsWaiting limits the packets waiting for a slow zone; more are dropped.
	packetsWaiting = 256
	// packetsAtOnce is how many packets are sent together.
	packetsAtOnce = 32
)

// packetSender sends the first packet of each connection into zones that run on OVN, and reads what
// ovn-controller logs about it.
type packetSender struct {
	t    *Traffic
	sink func(zone, line string)
	ctx  context.Context
	wg   sync.WaitGroup

	mu    sync.Mutex
	zones map[*labServer]chan packetHop
}

// packetHop is a packet for one zone; dst is the zone it continues to, if any.
type packetHop struct {
	Packet
	dst string
}

func (t *Traffic) newPacketSender(ctx context.Context, sink func(zone, line string)) *packetSender {
	p := &packetSender{t: t, sink: sink, ctx: ctx, zones: map[*labServer]chan packetHop{}}
	p.wg.Go(p.followLogs)
	return p
}

var packetProtos = map[match.Proto]PacketProto{match.TCP: TCP, match.UDP: UDP, match.SCTP: SCTP, match.ICMP: ICMP}

// beginConnection starts one connection.
func (p *packetSender) beginConnection() {
	f, ok := p.t.pickFlow()
	if !ok {
		return
	}
	h := packetHop{Packet: Packet{EntryPort: f.src.lport, Src: f.from, Dst: f.to, Proto: packetProtos[f.proto],
		SrcPort: f.srcPort, DstPort: f.dstPort}}
	if f.dst != nil && f.dst.zone != f.src.zone {
		h.dst = f.dst.zone
	}
	p.t.stats.connections.Add(1)
	p.putPacket(f.src.zone, h)
}

// putPacket queues a packet for a zone, or drops it if the queue is full.
func (p *packetSender) putPacket(zone string, h packetHop) {
	l := p.t.sandbox.labZones()[zone]
	if l == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	in := p.zones[l]
	if in == nil {
		if p.ctx.Err() != nil {
			return
		}
		in = make(chan packetHop, packetsWaiting)
		p.zones[l] = in
		p.wg.Go(func() { p.runZone(l, in) })
	}
	select {
	case in <- h:
	default:
	}
}

// runZone sends packets in a zone until it ends. It starts once the zone's rows are flows, since OVN drops
// everything before.
func (p *packetSender) runZone(l *labServer, in <-chan packetHop) {
	defer func() {
		p.mu.Lock()
		delete(p.zones, l)
		p.mu.Unlock()
	}()
	if err := l.useZone(p.ctx, (*Zone).waitReadyAndSynced); err != nil {
		select { // the starter of the zone reports the error; a zone that failed is not tried again
		case <-l.life.Done():
		case <-p.ctx.Done():
		}
		return
	}
	for {
		var some []packetHop
		select {
		case <-p.ctx.Done():
			return
		case <-l.life.Done():
			return
		case h := <-in:
			some = append(some, h)
		}
		for len(some) < packetsAtOnce && len(in) > 0 {
			some = append(some, <-in)
		}
		p.sendPackets(l, some)
	}
}

// sendPackets sends packets in the zone of l. Packets that leave for another zone are queued there. If a port
// does not exist, only its own packets are lost.
func (p *packetSender) sendPackets(l *labServer, some []packetHop) {
	raw := make([]Packet, len(some))
	for i := range some {
		raw[i] = some[i].Packet
	}
	var out []PacketOutcome
	var left []string
	err := l.useZone(p.ctx, func(z *Zone, ctx context.Context) (err error) {
		left = []string{z.ElsewherePort(), z.OutsidePort()}
		out, err = z.Send(ctx, raw)
		return err
	})
	if errors.Is(err, ErrNoPort) && len(some) > 1 {
		for i := range some {
			p.sendPackets(l, some[i:i+1])
		}
		return
	}
	if err != nil {
		return // the dead process is reported elsewhere
	}
	for i, o := range out {
		switch {
		case len(o.Ports) == 0:
			p.t.stats.dropped.Add(1)
		case some[i].dst != "" && (o.Delivered(left[0]) || o.Delivered(left[1])):
			// Without tunnels, packets that leave one node are sent again at the other.
			if next := p.t.sandbox.labZones()[some[i].dst]; next != nil {
				some[i].EntryPort = next.zone.ElsewherePort()
				p.putPacket(some[i].dst, packetHop{Packet: some[i].Packet})
			}
		}
	}
}

// followLogs reads the zones' logs until ctx ends.
func (p *packetSender) followLogs() {
	logs := map[*labServer]*logTail{}
	for retry.Sleep(p.ctx, logPoll) {
		now := p.t.sandbox.labZones()
		for _, l := range now {
			if logs[l] == nil {
				logs[l] = &logTail{}
			}
			_ = l.useZone(p.ctx, func(z *Zone, _ context.Context) error {
				logs[l].readOn(z.LogFile(), func(line string) {
					p.t.stats.lines.Add(1)
					p.sink(l.name, line)
				})
				return nil
			})
		}
		maps.DeleteFunc(logs, func(l *labServer, _ *logTail) bool { return now[l.name] != l })
	}
}

// logTail is the position up to which a log was read.
type logTail struct {
	offset int64
	part   []byte // of an unfinished line
}

var aclModule = []byte("|acl_log(")

// readOn reads the new lines, and empties a long log.
func (l *logTail) readOn(path string, sink func(line string)) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return // not there yet
	}
	defer f.Close()
	b, err := io.ReadAll(io.NewSectionReader(f, l.offset, longLog))
	if err != nil {
		return
	}
	l.offset += int64(len(b))
	whole, part := []byte(nil), append(l.part, b...)
	if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
		whole, part = part[:i+1], part[i+1:]
	}
	for line := range bytes.Lines(whole) {
		if bytes.Contains(line, aclModule) {
			sink(string(line[:len(line)-1]))
		}
	}
	l.part = bytes.Clone(part)
	if len(l.part) > longLine {
		l.part = nil
	}
	if l.offset < longLog {
		return
	}
	if fi, err := f.Stat(); err == nil && fi.Size() == l.offset && f.Truncate(0) == nil {
		l.offset = 0
	}
}
