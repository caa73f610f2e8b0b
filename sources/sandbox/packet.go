package sandbox

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"net"
	"net/netip"
	"slices"

	"rung/model/words"
)

// PacketProto is the protocol of a packet.
type PacketProto uint8

// The protocols; ICMP is ICMPv6 between IPv6 addresses.
const (
	TCP PacketProto = iota + 1
	UDP
	SCTP
	ICMP
)

// TCP flags.
const (
	FIN = 1 << iota
	SYN
	RST
	PSH
	ACK
)

// Chunks of SCTP.
const (
	SCTPInit       = 1
	SCTPInitAck    = 2
	SCTPCookieEcho = 10
)

// Packet is one packet to send at a logical port.
type Packet struct {
	EntryPort string // the logical port
	Src, Dst  netip.Addr
	Proto     PacketProto
	// SrcPort and DstPort are the identifier and sequence number of an ICMP echo.
	SrcPort, DstPort uint16
	Flags            uint8  // of TCP; 0 is SYN
	Seq, Ack         uint32 // of TCP
	Chunk            uint8  // of SCTP; 0 is SCTPInit
	Reply            bool   // of ICMP: an echo reply, not a request
	TTL              uint8  // 0 is 64
}

// mark precedes the number in a packet's payload.
const mark = 0x52756e67 // "Rung"

const (
	etherV4, etherV6                                     = 0x0800, 0x86dd
	protoICMP, protoTCP, protoUDP, protoICMP6, protoSCTP = 1, 6, 17, 58, 132
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errNoProto = errors.New("a packet needs a protocol")

func (p *Packet) timeToLive() uint8 { return cmp.Or(p.TTL, 64) }
func (p *Packet) tcpFlags() uint8   { return cmp.Or(p.Flags, SYN) }

// echoType returns the ICMP type.
func (p *Packet) echoType() uint8 {
	switch {
	case p.Src.Is6() && p.Reply:
		return 129
	case p.Src.Is6():
		return 128
	case p.Reply:
		return 0
	}
	return 8
}

// checkFamilies rejects a packet between address families.
func (p *Packet) checkFamilies() error {
	if p.Src.Is4() != p.Dst.Is4() || !p.Src.IsValid() {
		return fmt.Errorf("a packet cannot go from %s to %s: different address families", p.Src, p.Dst)
	}
	return nil
}

// frameBytes encodes the packet with its number.
func (p *Packet) frameBytes(from, to net.HardwareAddr, id uint32) ([]byte, error) {
	if err := p.checkFamilies(); err != nil {
		return nil, err
	}
	body, proto, err := p.transportBytes(id)
	if err != nil {
		return nil, err
	}
	be, ttl, ends := binary.BigEndian, p.timeToLive(), append(p.Src.AsSlice(), p.Dst.AsSlice()...)
	var ether uint16 = etherV6
	header := append(be.AppendUint16([]byte{0x60, 0, 0, 0}, uint16(len(body))), proto, ttl)
	header = append(header, ends...)
	if p.Src.Is4() {
		ether = etherV4
		header = be.AppendUint16(be.AppendUint16([]byte{0x45, 0}, uint16(20+len(body))), uint16(id))
		header = append(append(header, 0, 0, ttl, proto, 0, 0), ends...)
		be.PutUint16(header[10:], foldChecksum(checksumAdd(0, header)))
	}
	return slices.Concat(be.AppendUint16(slices.Concat(to, from), ether), header, body), nil
}

// transportBytes encodes the part after the IP header.
func (p *Packet) transportBytes(id uint32) (b []byte, proto uint8, err error) {
	be := binary.BigEndian
	ports := be.AppendUint16(be.AppendUint16(nil, p.SrcPort), p.DstPort)
	number := be.AppendUint32(be.AppendUint32(nil, mark), id)
	at := 0 // of the checksum
	switch p.Proto {
	case TCP:
		b = be.AppendUint32(be.AppendUint32(ports, p.Seq), p.Ack)
		b = append(b, 8<<4, p.tcpFlags(), 0xff, 0xff, 0, 0, 0, 0, 1, 1, 8, 10) // a timestamp carries the number
		b, proto, at = append(b, number...), protoTCP, 16
	case UDP:
		b, proto, at = append(append(ports, 0, 16, 0, 0), number...), protoUDP, 6
	case ICMP:
		proto = words.Choose[uint8](p.Src.Is6(), protoICMP6, protoICMP)
		b, at = append(append([]byte{p.echoType(), 0, 0, 0}, ports...), number...), 2
	case SCTP:
		return p.sctpBytes(ports, number), protoSCTP, nil
	default:
		return nil, 0, errNoProto
	}
	start := uint32(0)
	if proto != protoICMP {
		pseudo := append(p.Src.AsSlice(), p.Dst.AsSlice()...)
		start = checksumAdd(uint32(proto)+uint32(len(b)), pseudo)
	}
	check := foldChecksum(checksumAdd(start, b))
	if check == 0 && proto == protoUDP {
		check = 0xffff
	}
	be.PutUint16(b[at:], check)
	return b, proto, nil
}

func (p *Packet) sctpBytes(ports, number []byte) []byte {
	chunk := cmp.Or(p.Chunk, SCTPInit)
	tag := words.Choose(chunk == SCTPInit, 0, uint32(1))
	b := append(binary.BigEndian.AppendUint32(ports, tag), 0, 0, 0, 0) // the checksum
	if chunk == SCTPInit || chunk == SCTPInitAck {                     // initiate tag, window, streams out and in, first TSN
		b = append(append(b, chunk, 0, 0, 20), number[4:]...)
		b = append(append(b, 0, 0, 0xff, 0xff, 0, 1, 0, 1), number[:4]...)
	} else {
		b = append(append(b, chunk, 0, 0, 12), number...)
	}
	binary.LittleEndian.PutUint32(b[8:], crc32.Checksum(b, castagnoli))
	return b
}

// checksumAdd adds bytes to a checksum of RFC 1071.
func checksumAdd(s uint32, b []byte) uint32 {
	for ; len(b) > 1; b = b[2:] {
		s += uint32(b[0])<<8 | uint32(b[1])
	}
	if len(b) == 1 {
		s += uint32(b[0]) << 8
	}
	return s
}

func foldChecksum(s uint32) uint16 {
	for s>>16 != 0 {
		s = s&0xffff + s>>16
	}
	return ^uint16(s)
}

// frameKind classifies a received frame.
type frameKind int

const (
	foreignFrame frameKind = iota // not the lab's
	marked                        // a packet, with its number
	expired                       // a router's answer to a packet whose time to live ended
)

// recogniseFrame finds the number in a frame. It does not panic on any input.
func recogniseFrame(b []byte) (id uint32, kind frameKind) {
	be := binary.BigEndian
	proto, body := framePayload(b)
	at, number := len(body), 4 // of the mark, and behind it of the number
	switch proto {
	case protoTCP:
		if len(body) >= 32 && body[22] == 8 {
			at = 24
		}
	case protoICMP:
		if len(body) >= 30 && body[0] == 11 { // the quoted packet: its IP identification and source port
			if q := body[8:]; q[9] == protoUDP {
				return uint32(be.Uint16(q[20:]))<<16 | uint32(be.Uint16(q[4:])), expired
			}
		}
		at = 8
	case protoUDP, protoICMP6:
		at = 8
	case protoSCTP:
		at = 16
		if len(body) >= 32 && (body[12] == SCTPInit || body[12] == SCTPInitAck) {
			at, number = 28, -12
		}
	}
	if len(body) < at+max(number, 0)+4 || be.Uint32(body[at:]) != mark {
		return 0, foreignFrame
	}
	return be.Uint32(body[at+number:]), marked
}

// framePayload returns a frame's transport protocol and the bytes after its IP header, or nil without one.
func framePayload(b []byte) (proto uint8, body []byte) {
	if len(b) < 14 {
		return 0, nil
	}
	ip := b[14:]
	switch binary.BigEndian.Uint16(b[12:]) {
	case etherV4:
		if len(ip) < 20 || ip[0]>>4 != 4 {
			return 0, nil
		}
		if n := int(ip[0]&15) * 4; n >= 20 && len(ip) >= n {
			return ip[9], ip[n:]
		}
	case etherV6:
		if len(ip) >= 40 && ip[0]>>4 == 6 {
			return ip[6], ip[40:]
		}
	}
	return 0, nil
}

const (
	pcapMagic  = 0xa1b2c3d4
	pcapHeader = 24
	pcapRecord = 16
	// maxFrame exceeds any frame of a dummy port; a longer record is invalid.
	maxFrame = 1 << 17
)

// readPcap passes every whole frame of a pcap stream to f and returns the rest. A header follows whenever
// ovs-vswitchd reopens the pipe. ok is false if the bytes are not pcap.
func readPcap(b []byte, f func(frame []byte)) (rest []byte, ok bool) {
	for {
		switch {
		case len(b) < pcapRecord:
			return b, true
		case binary.NativeEndian.Uint32(b) == pcapMagic:
			if len(b) < pcapHeader {
				return b, true
			}
			b = b[pcapHeader:]
			continue
		}
		n := binary.NativeEndian.Uint32(b[8:])
		if n > maxFrame {
			return nil, false
		}
		if len(b) < pcapRecord+int(n) {
			return b, true
		}
		f(b[pcapRecord : pcapRecord+int(n)])
		b = b[pcapRecord+int(n):]
	}
}
