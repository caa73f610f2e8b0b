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

// The stages in which northd evaluates ACLs, in the order a packet passes them.
const (
	StageIn      = "ls_in_acl_eval"
	StageAfterLB = "ls_in_acl_after_lb_eval"
	StageOut     = "ls_out_acl_eval"
)

var aclStages = []string{StageIn, StageAfterLB, StageOut}

// mostPasses limits a packet's passes through connection tracking in one trace.
const mostPasses = 8

// MetFlow is an ACL's logical flow that a packet met.
type MetFlow struct {
	Stage string // for example StageOut
	ACL   string // the first eight hex digits of the ACL's UUID, northd's stage-hint
}

// Connection states for a traced packet, in ovs-fields(7)'s notation; a connection's first packet has none.
const (
	StateFirst   = ""
	StateOpened  = "trk,est"     // from the side that opened it
	StateReplied = "trk,est,rpl" // from the other side
)

// Trace asks ovs-vswitchd what it would do with a packet of a connection in a state (ofproto/trace). Nothing
// is sent, logged or tracked. It returns the ACL flows in the order the packet meets them, and the trace.
func (z *Zone) Trace(ctx context.Context, p Packet, state string) (met []MetFlow, text string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("zone %s: tracing a packet: %w", z.cfg.Name, err)
		}
	}()
	known, _ := z.bridge.wantedVIFs()
	have, _, _ := z.bridge.pluggedPorts()
	at := have[p.EntryPort].intAt("ofport")
	if at <= 0 {
		return nil, "", fmt.Errorf("%q: %w", p.EntryPort, ErrNoPort)
	}
	// A flow, not a packet: with a packet ofproto/trace would execute its actions, including logging.
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

// flowText returns the packet in the notation of ovs-ofctl(8).
func (p *Packet) flowText(from, to string) (string, error) {
	six, net := "", "nw_src=%s,nw_dst=%s"
	if p.Src.Is6() {
		six, net = "6", "ipv6_src=%s,ipv6_dst=%s"
	}
	if err := p.checkFamilies(); err != nil {
		return "", err
	}
	ports := func(name string) string { return fmt.Sprintf("%s_src=%d,%s_dst=%d", name, p.SrcPort, name, p.DstPort) }
	proto := map[PacketProto]string{TCP: "tcp", UDP: "udp", SCTP: "sctp", ICMP: "icmp"}[p.Proto]
	rest := ports(proto)
	switch {
	case proto == "":
		return "", errNoProto
	case p.Proto == TCP:
		rest += fmt.Sprintf(",tcp_flags=%#x", p.tcpFlags())
	case p.Proto == ICMP && p.Src.Is6():
		rest = fmt.Sprintf("icmpv6_type=%d,icmpv6_code=0", p.echoType())
	case p.Proto == ICMP:
		rest = fmt.Sprintf("icmp_type=%d,icmp_code=0", p.echoType())
	}
	return fmt.Sprintf("%s%s,dl_src=%s,dl_dst=%s,"+net+",nw_ttl=%d,%s", proto, six, from, to, p.Src, p.Dst, p.timeToLive(), rest), nil
}

var cookiePattern = regexp.MustCompile(`, cookie 0x([0-9a-f]{1,8})\s*$`)

// flowCookies returns the cookies of a trace's flows in order: the first eight hex digits of the
// Logical_Flows' UUIDs.
func flowCookies(trace string) (out []string) {
	for line := range strings.Lines(trace) {
		if m := cookiePattern.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			out = append(out, strings.Repeat("0", 8-len(m[1]))+m[1])
		}
	}
	return out
}

// aclFlows returns the Southbound database's ACL flows by cookie. A stage's last flows belong to no ACL, have
// no hint, and are skipped.
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
	request, _ := json.Marshal(params) // strings, lists and maps cannot fail
	raw, err := k.callMethod(ctx, "transact", request)
	if err != nil {
		return nil, fmt.Errorf("reading the logical flows: %w", err)
	}
	results, err := readResults("OVN_Southbound", raw)
	if err != nil {
		return nil, err
	}
	if len(results) != len(aclStages) {
		return nil, errors.New("reading the logical flows: the answer is incomplete")
	}
	out := map[string][]MetFlow{}
	for i, res := range results {
		for _, r := range res.Rows {
			id := r.refsAt("_uuid")
			if hint := r.mapAt("external_ids")["stage-hint"]; hint != "" && len(id) == 1 && len(id[0]) >= 8 {
				cookie := id[0][:8]
				out[cookie] = append(out[cookie], MetFlow{Stage: aclStages[i], ACL: hint})
			}
		}
	}
	return out, nil
}

// Connection is a connection to try between two logical ports, in one zone or two. An end outside the cluster
// has the other end's zone and its OutsidePort. An empty ToPort accepts any port where the first packet comes
// out, such as OutsidePort.
type Connection struct {
	From, To         *Zone
	FromPort, ToPort string
	Src, Dst         netip.Addr
	Proto            PacketProto
	SrcPort, DstPort uint16
	// Traced makes each step list the ACL flows that the packet met.
	Traced bool
}

// PacketStep describes one packet of a connection in one zone.
type PacketStep struct {
	Packet    string // "SYN", "request"
	Reply     bool   // from the answering side
	Zone      string
	EntryPort string    // the logical port where it entered
	ExitPorts []string  // the logical ports where it came out
	Passed    bool      // it came out at the expected port
	Met       []MetFlow // of a traced connection
}

// handshakePacket is one packet of a handshake.
type handshakePacket struct {
	name  string
	back  bool // from the answering side
	shape func(*Packet)
}

// openingPackets are the packets that open a connection, in order.
var openingPackets = map[PacketProto][]handshakePacket{
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

// TryConnection sends the packets that open a connection, there and back, and stops at the first lost one.
// Between two zones each packet is decided in both, as on a cluster.
func TryConnection(ctx context.Context, c Connection) (steps []PacketStep, made bool, err error) {
	for i, g := range openingPackets[c.Proto] {
		p := Packet{Src: c.Src, Dst: c.Dst, Proto: c.Proto, SrcPort: c.SrcPort, DstPort: c.DstPort}
		from, to, in, out, state := c.From, c.To, c.FromPort, c.ToPort, StateOpened
		if i == 0 {
			state = StateFirst
		}
		if g.back {
			state = StateReplied
			p.Src, p.Dst = p.Dst, p.Src
			if c.Proto != ICMP { // an ICMP reply has its request's numbers
				p.SrcPort, p.DstPort = p.DstPort, p.SrcPort
			}
			from, to, in, out = to, from, out, in
		}
		g.shape(&p)
		legs := []packetLeg{{from, in, out}}
		if from != to {
			legs = []packetLeg{{from, in, from.portTowards(in, out)}, {to, to.portTowards(out, in), out}}
		}
		for _, leg := range legs {
			p.EntryPort = leg.entryPort
			s := PacketStep{Packet: g.name, Reply: g.back, Zone: leg.zone.Name(), EntryPort: leg.entryPort}
			if c.Traced {
				s.Met, _, err = leg.zone.Trace(ctx, p, state)
			}
			var got []PacketOutcome
			if err == nil {
				got, err = leg.zone.Send(ctx, []Packet{p})
			}
			if err != nil {
				return steps, false, fmt.Errorf("trying a connection: %w", err)
			}
			s.ExitPorts, s.Passed = got[0].Ports, got[0].Delivered(leg.out)
			if from != to && leg.zone == from && leg.out == from.ElsewherePort() {
				// The router may know no subnet for the address of a pod newer than the zone.
				s.Passed = s.Passed || got[0].Delivered(from.OutsidePort())
			}
			if leg.out == "" && len(s.ExitPorts) > 0 { // the answer comes from that port
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

// packetLeg is a packet's path in one zone.
type packetLeg struct {
	zone           *Zone
	entryPort, out string
}
