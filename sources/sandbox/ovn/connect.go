package ovn

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
)

// Connection is one to try: from a logical port to another, in the same zone or in
// two. A side outside of the cluster has the zone of the other and its port Outside.
// Without ToPort it is made to whatever port its first packet comes out of: that of the
// node itself, of other nodes, of the outside.
type Connection struct {
	From, To         *Zone
	FromPort, ToPort string
	Src, Dst         netip.Addr
	Proto            Proto
	SrcPort, DstPort uint16
	// Traced says that each step also tells which ACLs' flows the packet met.
	Traced bool
}

// Step is one packet of a connection in one zone.
type Step struct {
	Packet string // "SYN", "request"
	Reply  bool   // from the side that was asked
	Zone   string
	In     string   // the logical port where it was put in
	At     []string // and those where it came out
	Passed bool     // it came out where it was to
	Met    []Met    // of a traced connection
}

// greeting is one packet of a handshake.
type greeting struct {
	name  string
	back  bool // from the side that was asked
	shape func(*Packet)
}

// greetings are the packets that make a connection, in order.
var greetings = map[Proto][]greeting{
	TCP: {
		{"SYN", false, func(p *Packet) { p.Flags, p.Seq = SYN, 1 }},
		{"SYN-ACK", true, func(p *Packet) { p.Flags, p.Seq, p.Ack = SYN|ACK, 1, 2 }},
		{"ACK", false, func(p *Packet) { p.Flags, p.Seq, p.Ack = ACK, 2, 2 }},
	},
	SCTP: {
		{"INIT", false, func(p *Packet) { p.Chunk = SCTPInit }},
		{"INIT ACK", true, func(p *Packet) { p.Chunk = SCTPInitAck }},
		{"COOKIE ECHO", false, func(p *Packet) { p.Chunk = SCTPCookieEcho }},
	},
	UDP: {
		{"request", false, func(*Packet) {}},
		{"answer", true, func(*Packet) {}},
	},
	ICMP: {
		{"echo request", false, func(*Packet) {}},
		{"echo reply", true, func(p *Packet) { p.Reply = true }},
	},
}

// state is that of a connection when a packet of its greeting comes.
func (g *greeting) state(first bool) string {
	switch {
	case g.back:
		return StateReplied
	case first:
		return StateFirst
	}
	return StateOpened
}

// Try sends the packets that make a connection, there and back, and stops at the first
// that is lost. Between two zones each packet is decided in both, as on a cluster.
func Try(ctx context.Context, c Connection) (steps []Step, made bool, err error) {
	for i, g := range greetings[c.Proto] {
		p := Packet{Src: c.Src, Dst: c.Dst, Proto: c.Proto, SrcPort: c.SrcPort, DstPort: c.DstPort}
		from, to, in, out := c.From, c.To, c.FromPort, c.ToPort
		if g.back {
			p.Src, p.Dst = p.Dst, p.Src
			if c.Proto != ICMP { // a reply has the numbers of its request
				p.SrcPort, p.DstPort = p.DstPort, p.SrcPort
			}
			from, to, in, out = to, from, out, in
		}
		g.shape(&p)
		for _, leg := range legs(from, to, in, out) {
			p.In = leg.in
			s := Step{Packet: g.name, Reply: g.back, Zone: leg.zone.Name(), In: leg.in}
			if c.Traced {
				if s.Met, _, err = leg.zone.Trace(ctx, p, g.state(i == 0)); err != nil {
					return steps, false, fmt.Errorf("trying a connection: %w", err)
				}
			}
			got, err := leg.zone.Send(ctx, []Packet{p})
			if err != nil {
				return steps, false, fmt.Errorf("trying a connection: %w", err)
			}
			s.At, s.Passed = got[0].At, slices.Contains(got[0].At, leg.out)
			if leg.out == "" && len(s.At) > 0 { // the answer comes from where it came out
				s.Passed, c.ToPort = true, s.At[0]
			}
			if steps = append(steps, s); !s.Passed {
				return steps, false, nil
			}
		}
	}
	return steps, len(steps) > 0, nil
}

// leg is the part of a packet's way that is in one zone.
type leg struct {
	zone    *Zone
	in, out string
}

func legs(from, to *Zone, in, out string) []leg {
	if from == to {
		return []leg{{from, in, out}}
	}
	return []leg{{from, in, from.Elsewhere()}, {to, to.Elsewhere(), out}}
}
