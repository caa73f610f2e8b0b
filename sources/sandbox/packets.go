package sandbox

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"rung/model/ovn/match"
)

const (
	// logPoll is how often the logs of ovn-controller are read on.
	logPoll = 100 * time.Millisecond
	// longLog is the length at which a log that was read is emptied.
	longLog = 4 << 20
	// longLine bounds a line that does not end.
	longLine = 64 << 10
	// packetsWaiting is how many packets wait for a zone that is slow; more are not put
	// in.
	packetsWaiting = 256
	// packetsAtOnce is how many are put in together.
	packetsAtOnce = 32
)

// packetSender puts the first packet of each connection into zones that run on OVN, and
// reads what ovn-controller logs about it.
type packetSender struct {
	t    *Traffic
	sink func(zone, line string)
	ctx  context.Context
	wg   sync.WaitGroup

	mu    sync.Mutex
	zones map[*labServer]chan packetHop
}

// packetHop is a packet for one zone, and the zone it goes on to where it leaves for there.
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

// beginConnection begins one connection.
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

// putPacket gives a packet to a zone, unless too many wait there already.
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

// runZone puts packets into a zone until it ends, the first when its rows are flows:
// before, OVN would drop them all.
func (p *packetSender) runZone(l *labServer, in <-chan packetHop) {
	defer func() {
		p.mu.Lock()
		delete(p.zones, l)
		p.mu.Unlock()
	}()
	err := l.useZone(p.ctx, func(z *Zone, ctx context.Context) error {
		err := z.WaitReady(ctx)
		if err == nil {
			_, err = z.WaitSynced(ctx)
		}
		return err
	})
	if err != nil {
		select { // why is told where it is started; no second try at a zone that did not come up
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

// sendPackets puts packets in and lets those that left for another zone go in there. A port
// that is not there yet, or any more, takes none; the others are not kept from theirs.
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
		return // the process that died is told elsewhere
	}
	for i, o := range out {
		switch {
		case len(o.Ports) == 0:
			p.t.stats.dropped.Add(1)
		case some[i].dst != "" && (o.Delivered(left[0]) || o.Delivered(left[1])):
			// Without tunnels, what leaves one node is put in at the other's end.
			next := p.t.sandbox.labZones()[some[i].dst]
			if next == nil {
				continue
			}
			h := packetHop{Packet: some[i].Packet}
			h.EntryPort = next.address((*Zone).ElsewherePort)
			p.putPacket(some[i].dst, h)
		}
	}
}

// followLogs reads the zones' logs until the end.
func (p *packetSender) followLogs() {
	logs := map[*labServer]*logTail{}
	ticker := time.NewTicker(logPoll)
	defer ticker.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-ticker.C:
		}
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
		for l := range logs {
			if now[l.name] != l {
				delete(logs, l)
			}
		}
	}
}

// logTail is how far a log has been read.
type logTail struct {
	offset int64
	part   []byte // of a line that has not ended
}

var aclModule = []byte("|acl_log(")

// readOn reads on, and empties the log where it has become long.
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
	l.part = append(l.part, b...)
	for {
		line, rest, ended := bytes.Cut(l.part, []byte("\n"))
		if !ended {
			break
		}
		if bytes.Contains(line, aclModule) {
			sink(string(line))
		}
		l.part = rest
	}
	l.part = bytes.Clone(l.part)
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
