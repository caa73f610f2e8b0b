package flow

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"rung/model/verdict"
)

// PacketQuestion is a packet for ovn-trace: the first of a connection, as it enters a zone's switch.
type PacketQuestion struct {
	Zone             string
	Datapath, Inport string // the switch, and the logical port on it
	EthSrc, EthDst   string
	Src, Dst         netip.Addr
	Protocol         verdict.Protocol
	Port             uint16 // of the destination; none for ICMP
}

// ErrUnsafe is the error for a name or address that ovn-trace might take for something else.
var ErrUnsafe = errors.New("not passed on to ovn-trace")

// Program is the name of the program to run.
const Program = "ovn-trace"

const (
	// sourcePort is the assumed source port of connections.
	sourcePort = 40000
	// maxTracking is the maximum number of connection tracking lookups of a packet. ovn-trace needs the
	// result of each as an option.
	maxTracking = 8
)

// Names of switches, routers and ports as OVN-Kubernetes makes them, and hardware addresses. They cannot end a
// quoted text or begin an option.
var (
	reName = lazily(`^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,511}$`)
	reMAC  = lazily(`^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$`)
	reDB   = lazily(`^unix:/[A-Za-z0-9_./-]+$`)
)

// CommandLine returns the program and arguments to trace the packet, not for a shell. db is the Southbound
// database's socket, "unix:/…". Every value is checked, whatever its source; the error wraps ErrUnsafe.
func (a *PacketQuestion) CommandLine(db string) ([]string, error) {
	if !reDB().MatchString(db) {
		return nil, fmt.Errorf("%w: the database %q", ErrUnsafe, db)
	}
	flow, err := a.microflow()
	if err != nil {
		return nil, err
	}
	return slices.Concat([]string{Program, "--db=" + db, "--no-leader-only", "--detailed"},
		slices.Repeat([]string{"--ct=new"}, maxTracking), []string{"--", a.Datapath, flow}), nil
}

// microflow returns the packet in the syntax of ovn-trace(8).
func (a *PacketQuestion) microflow() (string, error) {
	for _, n := range []struct{ what, name string }{{"switch", a.Datapath}, {"port", a.Inport}} {
		if !reName().MatchString(n.name) {
			return "", fmt.Errorf("%w: the name %q of a %s", ErrUnsafe, n.name, n.what)
		}
	}
	for _, mac := range []string{a.EthSrc, a.EthDst} {
		if !reMAC().MatchString(mac) {
			return "", fmt.Errorf("%w: the hardware address %q", ErrUnsafe, mac)
		}
	}
	src, dst := a.Src.Unmap(), a.Dst.Unmap()
	if !src.IsValid() || !dst.IsValid() || src.Zone() != "" || dst.Zone() != "" || src.Is4() != dst.Is4() {
		return "", fmt.Errorf("%w: a packet from %s to %s", ErrUnsafe, a.Src, a.Dst)
	}
	ip := "ip6"
	if src.Is4() {
		ip = "ip4"
	}
	terms := []string{
		fmt.Sprintf("inport == %q", a.Inport), "eth.src == " + strings.ToLower(a.EthSrc), "eth.dst == " + strings.ToLower(a.EthDst),
		ip + ".src == " + src.String(), ip + ".dst == " + dst.String(), "ip.ttl == 64",
	}
	switch a.Protocol {
	case verdict.TCP, verdict.UDP, verdict.SCTP:
		p := strings.ToLower(string(a.Protocol))
		terms = append(terms, p, fmt.Sprintf("%s.src == %d", p, sourcePort), fmt.Sprintf("%s.dst == %d", p, a.Port))
	case verdict.ICMP:
		echo := "icmp4.type == 8 && icmp4.code == 0"
		if !src.Is4() {
			echo = "icmp6.type == 128 && icmp6.code == 0"
		}
		terms = append(terms, echo)
	default:
		return "", fmt.Errorf("%w: the protocol %q", ErrUnsafe, a.Protocol)
	}
	return strings.Join(terms, " && "), nil
}

// parsePacket parses the first line of a trace, a flow in Open vSwitch's syntax.
func parsePacket(text string) Packet {
	var p Packet
	for _, field := range strings.Split(strings.TrimPrefix(text, "# "), ",") {
		key, value, pair := strings.Cut(field, "=")
		if !pair && p.Proto == "" {
			p.Proto = cmp.Or(map[string]string{"tcp6": "tcp", "udp6": "udp", "sctp6": "sctp"}[key], key) // without its family
		}
		if !pair {
			continue
		}
		switch key {
		case "nw_src", "ipv6_src", "arp_spa":
			p.Src = parseAddress(value)
		case "nw_dst", "ipv6_dst", "arp_tpa":
			p.Dst = parseAddress(value)
		case "tp_src":
			p.SrcPort = parsePort(value)
		case "tp_dst":
			p.DstPort = parsePort(value)
		}
	}
	return p
}

func parseAddress(s string) netip.Addr {
	a, err := netip.ParseAddr(s)
	if err != nil || a.Zone() != "" {
		return netip.Addr{}
	}
	return a
}

func parsePort(s string) int {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return 0
	}
	return int(n)
}
