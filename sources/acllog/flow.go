package acllog

import (
	"net/netip"
	"strconv"
	"strings"

	"rung/model"
)

// parseFlow reads OVS's flow text: a protocol keyword and fields, joined by
// commas.
func parseFlow(l *model.LogLine, flow string) {
	for flow != "" {
		var field string
		field, flow, _ = strings.Cut(flow, ",")
		key, value, isField := strings.Cut(field, "=")
		switch {
		case !isField:
			if l.Proto == "" {
				l.Proto = protocol(field)
			}
		case key == "nw_src" || key == "arp_spa":
			setAddr(&l.Src, value, netip.Addr.Is4)
		case key == "nw_dst" || key == "arp_tpa":
			setAddr(&l.Dst, value, netip.Addr.Is4)
		case key == "ipv6_src":
			setAddr(&l.Src, value, netip.Addr.Is6)
		case key == "ipv6_dst":
			setAddr(&l.Dst, value, netip.Addr.Is6)
		case key == "tp_src":
			setPort(&l.SrcPort, value)
		case key == "tp_dst":
			setPort(&l.DstPort, value)
		case key == "tcp_flags" && value != "0":
			l.TCPFlags = value
		case key == "icmp_type":
			setByte(&l.ICMPType, value)
		case key == "icmp_code":
			setByte(&l.ICMPCode, value)
		}
	}
}

// protocol drops the family from OVS's keywords; icmp6 is a protocol of its
// own.
func protocol(keyword string) string {
	switch keyword {
	case "tcp6", "udp6", "sctp6":
		return keyword[:len(keyword)-1]
	}
	return keyword
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
