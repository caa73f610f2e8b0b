package acllog

import (
	"net/netip"
	"strconv"
	"strings"

	"rung/model/logline"
)

// parseFlow reads OVS's flow text: a protocol keyword and fields, joined by
// commas.
func parseFlow(l *logline.Line, flow string) {
	for flow != "" {
		field := flow
		if i := strings.IndexByte(flow, ','); i >= 0 {
			field, flow = flow[:i], flow[i+1:]
		} else {
			flow = ""
		}
		// Most fields are none that are kept: their first letters tell.
		if len(field) == 0 {
			continue
		}
		switch field[0] {
		case 'n', 'a', 'i', 't':
			if i := strings.IndexByte(field, '='); i > 0 {
				parseField(l, field[:i], field[i+1:])
				continue
			}
		}
		if l.Proto == "" && strings.IndexByte(field, '=') < 0 {
			if l.Proto = field; field == "tcp6" || field == "udp6" || field == "sctp6" {
				l.Proto = field[:len(field)-1] // without the family; icmp6 is a protocol of its own
			}
		}
	}
}

func parseField(l *logline.Line, key, value string) {
	switch key {
	case "nw_src", "arp_spa":
		setAddr(&l.Src, value, netip.Addr.Is4)
	case "nw_dst", "arp_tpa":
		setAddr(&l.Dst, value, netip.Addr.Is4)
	case "ipv6_src":
		setAddr(&l.Src, value, netip.Addr.Is6)
	case "ipv6_dst":
		setAddr(&l.Dst, value, netip.Addr.Is6)
	case "tp_src":
		setPort(&l.SrcPort, value)
	case "tp_dst":
		setPort(&l.DstPort, value)
	case "tcp_flags":
		if value != "0" {
			l.TCPFlags = value
		}
	case "icmp_type":
		setByte(&l.ICMPType, value)
	case "icmp_code":
		setByte(&l.ICMPCode, value)
	}
}

func setAddr(to *netip.Addr, s string, family func(netip.Addr) bool) {
	if a, err := netip.ParseAddr(s); err == nil && family(a) && a.Zone() == "" {
		*to = a
	}
}

func setPort(to *uint16, s string) {
	if n, err := strconv.ParseUint(s, 10, 16); err == nil {
		*to = uint16(n)
	}
}

func setByte(to *int, s string) {
	if n, err := strconv.ParseUint(s, 10, 8); err == nil {
		*to = int(n)
	}
}
