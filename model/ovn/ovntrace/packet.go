package ovntrace

import (
	"net/netip"
	"strconv"
	"strings"
)

// packetOf reads the first line of a trace, a flow as Open vSwitch writes it.
func packetOf(text string) Packet {
	var p Packet
	for _, field := range strings.Split(strings.TrimPrefix(text, "# "), ",") {
		key, value, pair := strings.Cut(field, "=")
		if !pair {
			if p.Proto == "" {
				p.Proto = proto(key)
			}
			continue
		}
		switch key {
		case "nw_src", "ipv6_src", "arp_spa":
			p.Src = address(value)
		case "nw_dst", "ipv6_dst", "arp_tpa":
			p.Dst = address(value)
		case "tp_src":
			p.SrcPort = number(value)
		case "tp_dst":
			p.DstPort = number(value)
		}
	}
	return p
}

// proto is the protocol of either family.
func proto(keyword string) string {
	switch keyword {
	case "tcp6", "udp6", "sctp6":
		return strings.TrimSuffix(keyword, "6")
	}
	return keyword
}

func address(s string) netip.Addr {
	a, err := netip.ParseAddr(s)
	if err != nil || a.Zone() != "" {
		return netip.Addr{}
	}
	return a
}

func number(s string) int {
	if n, err := strconv.ParseUint(s, 10, 16); err == nil {
		return int(n)
	}
	return 0
}
