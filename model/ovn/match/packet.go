package match

import (
	"cmp"
	"net/netip"
)

// Proto is a protocol above IP, named like OVN's predicates.
type Proto string

// Protocols that Rung knows by name.
const (
	TCP   Proto = "tcp"
	UDP   Proto = "udp"
	SCTP  Proto = "sctp"
	ICMP  Proto = "icmp" // ICMPv6 in an IPv6 packet
	ICMP6 Proto = "icmp6"
	IGMP  Proto = "igmp"
)

// EtherTypes of the packets Rung knows.
const (
	EthIP4 uint16 = 0x0800
	EthARP uint16 = 0x0806
	EthIP6 uint16 = 0x86dd
)

// MAC is an Ethernet address.
type MAC [6]byte

// Packet is the first packet of a connection as an ACL sees it.
type Packet struct {
	// InPort and OutPort are logical ports; empty if unnamed.
	InPort, OutPort string
	// EthType may be 0: then it follows from the addresses.
	EthType uint16
	// Src and Dst are of one family, IPv4 not mapped into IPv6. In ARP they are the sender's and target's
	// protocol address.
	Src, Dst netip.Addr
	Proto    Proto // empty if unknown
	// SrcPort and DstPort are of TCP, UDP and SCTP; 0 if unknown.
	SrcPort, DstPort uint16
	// ICMPType and ICMPCode are set for ICMP only; both 0 mean an echo request.
	ICMPType, ICMPCode uint8
	// EthSrc and EthDst are zero if unknown. A multicast packet without EthDst goes to the MAC address for its
	// destination.
	EthSrc, EthDst MAC
	// VLAN is the tag's TCI, or 0 without a tag. Packets that pods send have none.
	VLAN uint16
	// TTL is the hop limit; 0 if unknown, which means 255 for neighbour discovery.
	TTL uint8
	// TCPFlags is set for TCP only; 0 means SYN alone, as a connection begins.
	TCPFlags uint16
	// ARPOp is set for ARP only; 0 if unknown.
	ARPOp uint16
	// Target is the address that neighbour discovery asks for or announces; invalid if unknown.
	Target netip.Addr
}

// fieldSource names the part of a Packet with a field's value.
type fieldSource uint8

const (
	fromNone fieldSource = iota // a Packet does not have it
	fromInPort
	fromOutPort
	fromEthType
	fromSrc
	fromDst
	fromProto
	fromSrcPort
	fromDstPort
	fromICMPType
	fromICMPCode
	fromEthSrc
	fromEthDst
	fromVLAN
	fromTTL
	fromTCPFlags
	fromARPOp
	fromTarget
	fromTrue  // 1 for every Packet
	fromFalse // 0 for every Packet
)

// logicalPort returns the logical port for a string field.
func (p *Packet) logicalPort(s fieldSource) string {
	if s == fromInPort {
		return p.InPort
	}
	return p.OutPort
}

// addrOfField returns the address of a field; invalid if it has none.
func (p *Packet) addrOfField(s fieldSource) netip.Addr {
	switch s {
	case fromSrc:
		return p.Src
	case fromDst:
		return p.Dst
	case fromTarget:
		return p.Target
	}
	return netip.Addr{}
}

// numberOfField returns the value of a field of that width; ok is false if the packet does not have it.
func (p *Packet) numberOfField(s fieldSource, width int) (v u128, ok bool) {
	switch s {
	case fromEthType:
		return p.etherType()
	case fromSrc, fromDst, fromTarget:
		if a := p.addrOfField(s); a.BitLen() == width {
			return addrValue(a), true
		}
	case fromProto:
		return p.ipProto()
	case fromSrcPort:
		return optionalNumber(uint64(p.SrcPort)), p.SrcPort != 0
	case fromDstPort:
		return optionalNumber(uint64(p.DstPort)), p.DstPort != 0
	case fromICMPType:
		return p.icmpType(), true
	case fromICMPCode:
		return optionalNumber(uint64(p.ICMPCode)), true
	case fromEthSrc:
		return p.EthSrc.value()
	case fromEthDst:
		return p.ethDst().value()
	case fromVLAN:
		return optionalNumber(uint64(p.VLAN)), true
	case fromTTL:
		if p.TTL != 0 {
			return optionalNumber(uint64(p.TTL)), true
		}
		proto, ok := p.ipProto()
		nd := ok && proto == optionalNumber(58) && p.isIPv6() && p.ICMPType >= ndFirst && p.ICMPType <= ndLast
		return optionalNumber(255), nd
	case fromTCPFlags:
		return optionalNumber(uint64(cmp.Or(p.TCPFlags, tcpSYN))), true
	case fromARPOp:
		return optionalNumber(uint64(p.ARPOp)), p.ARPOp != 0
	case fromTrue:
		return optionalNumber(1), true
	case fromFalse:
		return optionalNumber(0), true
	}
	return u128{}, false
}

func optionalNumber(n uint64) u128 { return u128{0, n} }

func (p *Packet) etherType() (u128, bool) {
	switch {
	case p.EthType != 0:
		return optionalNumber(uint64(p.EthType)), true
	case p.Src.Is4() || p.Dst.Is4():
		return optionalNumber(uint64(EthIP4)), true
	case p.Src.Is6() || p.Dst.Is6():
		return optionalNumber(uint64(EthIP6)), true
	}
	return u128{}, false
}

// isIPv6 reports whether the packet is IPv6.
func (p *Packet) isIPv6() bool {
	t, _ := p.etherType()
	return t == optionalNumber(uint64(EthIP6))
}

func (p *Packet) ipProto() (u128, bool) {
	switch p.Proto {
	case TCP:
		return optionalNumber(6), true
	case UDP:
		return optionalNumber(17), true
	case SCTP:
		return optionalNumber(132), true
	case ICMP:
		if p.isIPv6() {
			return optionalNumber(58), true
		}
		return optionalNumber(1), true
	case ICMP6:
		return optionalNumber(58), true
	case IGMP:
		return optionalNumber(2), true
	}
	return u128{}, false
}

// Types of an ICMP echo request.
const (
	echoRequest  = 8
	echoRequest6 = 128
)

func (p *Packet) icmpType() u128 {
	switch {
	case p.ICMPType != 0 || p.ICMPCode != 0:
		return optionalNumber(uint64(p.ICMPType))
	case p.isIPv6():
		return optionalNumber(echoRequest6)
	}
	return optionalNumber(echoRequest)
}

// tcpSYN is the SYN flag of TCP.
const tcpSYN uint16 = 2

// value returns the address as a number; ok is false if it is zero.
func (m MAC) value() (v u128, ok bool) {
	for _, b := range m {
		v.lo = v.lo<<8 | uint64(b)
	}
	return v, v.lo != 0
}

// ethDst returns EthDst. For multicast without EthDst it is the address that RFC 1112 and RFC 2464 derive from
// the destination.
func (p *Packet) ethDst() MAC {
	if p.EthDst != (MAC{}) || !p.Dst.IsMulticast() {
		return p.EthDst
	}
	b := p.Dst.As16()
	if p.Dst.Is4() {
		return MAC{0x01, 0x00, 0x5e, b[13] & 0x7f, b[14], b[15]}
	}
	return MAC{0x33, 0x33, b[12], b[13], b[14], b[15]}
}

// The ICMPv6 types of neighbour discovery (RFC 4861).
const (
	ndFirst = 133
	ndLast  = 137
)
