package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The stages in which northd evaluates ACLs, in the order a packet meets them.
const (
	StageIn      = "ls_in_acl_eval"
	StageAfterLB = "ls_in_acl_after_lb_eval"
	StageOut     = "ls_out_acl_eval"
)

var aclStages = []string{StageIn, StageAfterLB, StageOut}

// mostPasses is how often a packet may go through connection tracking in one trace.
const mostPasses = 8

// MetFlow is a logical flow of an ACL that a packet met.
type MetFlow struct {
	Stage string // StageOut, say
	ACL   string // the first eight hex digits of the ACL's UUID, as northd notes it
}

// The states of a connection that a traced packet may be of, as ovs-fields(7) has them;
// the first packet of one is of none.
const (
	StateFirst   = ""
	StateOpened  = "trk,est"     // of the side that began it
	StateReplied = "trk,est,rpl" // of the other
)

// Trace asks ovs-vswitchd what it would do with a packet of a connection in a state, by
// ofproto/trace: nothing is sent, nothing logged, no connection noted. It returns the ACLs'
// flows in the order in which they are met, and the trace.
func (z *Zone) Trace(ctx context.Context, p Packet, state string) (met []MetFlow, text string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("zone %s: tracing a packet: %w", z.cfg.Name, err)
		}
	}()
	known, _ := z.bridge.wantedVIFs()
	have, _, _ := z.bridge.pluggedPorts()
	at := have[p.EntryPort].intOf("ofport")
	if at <= 0 {
		return nil, "", fmt.Errorf("%q: %w", p.EntryPort, ErrNoPort)
	}
	// A flow, not a packet: with a packet ofproto/trace does what it says, down to the
	// log.
	flow, err := p.flowText(known[p.EntryPort].mac, z.bridge.portNeighbours(known)[p.EntryPort].nextHopMAC(&p))
	if err != nil {
		return nil, "", err
	}
	args := []string{"br-int", "in_port=" + strconv.FormatInt(at, 10) + "," + flow}
	if state != StateFirst {
		args = append(args, slices.Repeat([]string{"--ct-next", state}, mostPasses)...)
	}
	if text, err = z.Control(ctx, VSwitchd, "ofproto/trace", args...); err != nil {
		return nil, "", err
	}
	flows, err := z.aclFlows(ctx)
	if err != nil {
		return nil, text, err
	}
	for _, cookie := range flowCookies(text) {
		met = append(met, flows[cookie]...)
	}
	return met, text, nil
}

// flowText is the packet as ovs-ofctl(8) writes it.
func (p *Packet) flowText(from, to string) (string, error) {
	six, net := "", "nw_src=%s,nw_dst=%s"
	if p.Src.Is6() {
		six, net = "6", "ipv6_src=%s,ipv6_dst=%s"
	}
	if p.Src.Is4() != p.Dst.Is4() || !p.Src.IsValid() {
		return "", fmt.Errorf("a packet from %s to %s has two families", p.Src, p.Dst)
	}
	ports := func(name string) string { return fmt.Sprintf("%s_src=%d,%s_dst=%d", name, p.SrcPort, name, p.DstPort) }
	var proto, rest string
	switch p.Proto {
	case TCP:
		proto, rest = "tcp", fmt.Sprintf("%s,tcp_flags=%#x", ports("tcp"), p.tcpFlags())
	case UDP:
		proto, rest = "udp", ports("udp")
	case SCTP:
		proto, rest = "sctp", ports("sctp")
	case ICMP:
		proto, rest = "icmp", fmt.Sprintf("icmp_type=%d,icmp_code=0", p.echoType())
		if p.Src.Is6() {
			rest = fmt.Sprintf("icmpv6_type=%d,icmpv6_code=0", p.echoType())
		}
	default:
		return "", errNoProto
	}
	return fmt.Sprintf("%s%s,dl_src=%s,dl_dst=%s,"+net+",nw_ttl=%d,%s", proto, six, from, to, p.Src, p.Dst, p.timeToLive(), rest), nil
}

var cookieOf = regexp.MustCompile(`, cookie 0x([0-9a-f]{1,8})\s*$`)

// flowCookies returns the cookies of the flows in a trace, in order: the first eight hex digits of
// the UUIDs of Logical_Flows.
func flowCookies(trace string) (out []string) {
	for line := range strings.Lines(trace) {
		if m := cookieOf.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			out = append(out, strings.Repeat("0", 8-len(m[1]))+m[1])
		}
	}
	return out
}

// aclFlows returns the Southbound database's flows of ACLs, by cookie. The last flows of a
// stage, which belong to no ACL, carry no hint and are left out.
func (z *Zone) aclFlows(ctx context.Context) (map[string][]MetFlow, error) {
	k, err := dialSocket(ctx, z.filePath(dbSB+".sock"), nil)
	if err != nil {
		return nil, fmt.Errorf("reading the logical flows: %w", err)
	}
	defer k.closeClient()
	params := []any{"OVN_Southbound"}
	for _, stage := range aclStages {
		params = append(params, map[string]any{"op": "select", "table": "Logical_Flow", "columns": []string{"_uuid", "external_ids"},
			"where": []any{[]any{"external_ids", "includes", mapValue(map[string]string{"stage-name": stage})}}})
	}
	request, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("reading the logical flows: %w", err)
	}
	raw, err := k.callMethod(ctx, "transact", request)
	if err != nil {
		return nil, fmt.Errorf("reading the logical flows: %w", err)
	}
	results, err := readResults("OVN_Southbound", raw)
	if err != nil {
		return nil, err
	}
	if len(results) != len(aclStages) {
		return nil, errors.New("reading the logical flows: the answer is not whole")
	}
	out := map[string][]MetFlow{}
	for i, res := range results {
		for _, r := range res.Rows {
			id := r.refsOf("_uuid")
			if hint := r.mapOf("external_ids")["stage-hint"]; hint != "" && len(id) == 1 && len(id[0]) >= 8 {
				cookie := id[0][:8]
				out[cookie] = append(out[cookie], MetFlow{Stage: aclStages[i], ACL: hint})
			}
		}
	}
	return out, nil
}

// Connection is one to try: from a logical port to another, in the same zone or in
// two. A side outside of the cluster has the zone of the other and its port OutsidePort.
// Without ToPort it is made to whatever port its first packet comes out of: that of the
// node itself, of other nodes, of the outside.
type Connection struct {
	From, To         *Zone
	FromPort, ToPort string
	Src, Dst         netip.Addr
	Proto            PacketProto
	SrcPort, DstPort uint16
	// Traced says that each step also tells which ACLs' flows the packet met.
	Traced bool
}

// PacketStep is one packet of a connection in one zone.
type PacketStep struct {
	Packet    string // "SYN", "request"
	Reply     bool   // from the side that was asked
	Zone      string
	EntryPort string    // the logical port where it was put in
	ExitPorts []string  // and those where it came out
	Passed    bool      // it came out where it was to
	Met       []MetFlow // of a traced connection
}

// handshakePacket is one packet of a handshake.
type handshakePacket struct {
	name  string
	back  bool // from the side that was asked
	shape func(*Packet)
}

// greetings are the packets that make a connection, in order.
var greetings = map[PacketProto][]handshakePacket{
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

// connState returns the state of a connection when a packet of its greeting comes.
func (g *handshakePacket) connState(first bool) string {
	switch {
	case g.back:
		return StateReplied
	case first:
		return StateFirst
	}
	return StateOpened
}

// TryConnection sends the packets that make a connection, there and back, and stops at the first
// that is lost. Between two zones each packet is decided in both, as on a cluster.
func TryConnection(ctx context.Context, c Connection) (steps []PacketStep, made bool, err error) {
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
		legs := []packetLeg{{from, in, out}}
		if from != to {
			legs = []packetLeg{{from, in, from.wayTo(in, out)}, {to, to.wayTo(out, in), out}}
		}
		for _, leg := range legs {
			p.EntryPort = leg.entryPort
			s := PacketStep{Packet: g.name, Reply: g.back, Zone: leg.zone.Name(), EntryPort: leg.entryPort}
			if c.Traced {
				if s.Met, _, err = leg.zone.Trace(ctx, p, g.connState(i == 0)); err != nil {
					return steps, false, fmt.Errorf("trying a connection: %w", err)
				}
			}
			got, err := leg.zone.Send(ctx, []Packet{p})
			if err != nil {
				return steps, false, fmt.Errorf("trying a connection: %w", err)
			}
			s.ExitPorts, s.Passed = got[0].Ports, slices.Contains(got[0].Ports, leg.out)
			if from != to && leg.zone == from && leg.out == from.ElsewherePort() {
				// A pod that came after the zone may have an address that the router knows no subnet of.
				s.Passed = s.Passed || slices.Contains(got[0].Ports, from.OutsidePort())
			}
			if leg.out == "" && len(s.ExitPorts) > 0 { // the answer comes from where it came out
				s.Passed, c.ToPort = true, s.ExitPorts[0]
			}
			steps = append(steps, s)
			if !s.Passed {
				return steps, false, nil
			}
		}
	}
	return steps, len(steps) > 0, nil
}

// packetLeg is the part of a packet's way that is in one zone.
type packetLeg struct {
	zone           *Zone
	entryPort, out string
}
