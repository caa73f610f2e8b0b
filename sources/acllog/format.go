package acllog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/model/words"
)

// Format returns the line that ovn-controller writes to its log file, without the end of line. Parse returns
// the same Line, except for Raw, Zone, and times below a millisecond. Missing fields are filled as on a
// cluster whose nodes have a /24 and a /64 each: MAC addresses as OVN-Kubernetes derives them, and two routers
// between nodes.
func Format(l logline.Line) string {
	var b strings.Builder
	b.Grow(384)
	b.WriteString(l.At.UTC().Format("2006-01-02T15:04:05.000Z"))
	fmt.Fprintf(&b, "|%05d|acl_log(ovn_pinctrl0)|INFO|name=", l.Seq)
	name := words.Choose(l.Unnamed, unnamed, l.Name)
	fmt.Fprintf(&b, "%s, verdict=%s, severity=%s", quoteJSON(name), l.Verdict, l.Severity)
	if l.Direction != "" {
		b.WriteString(", direction=" + l.Direction)
	}
	b.WriteString(": ")
	writeFlow(&b, l)
	return b.String()
}

// quoteJSON returns a text as a JSON string with the fewest escapes, as OVS writes it.
func quoteJSON(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // never fails for a string
	return strings.TrimSuffix(b.String(), "\n")
}

func writeFlow(b *strings.Builder, l logline.Line) {
	v6 := l.Src.Is6() || !l.Src.IsValid() && l.Dst.Is6()
	ports := l.Proto == "tcp" || l.Proto == "udp" || l.Proto == "sctp"
	b.WriteString(l.Proto)
	if v6 && ports {
		b.WriteByte('6')
	}
	src, dst, ttl := packetHop(l)
	b.WriteString(",vlan_tci=0x0000,dl_src=" + src + ",dl_dst=" + dst)
	if l.Proto == "arp" {
		writeAddr(b, ",arp_spa=", "", l.Src)
		writeAddr(b, ",arp_tpa=", "", l.Dst)
		b.WriteString(",arp_op=1,arp_sha=" + src + ",arp_tha=00:00:00:00:00:00")
		return
	}
	if l.Proto == "" {
		b.WriteString(",dl_type=0x05ff") // OVS's number for frames without a type
		return
	}
	writeAddr(b, ",nw_src=", ",ipv6_src=", l.Src)
	writeAddr(b, ",nw_dst=", ",ipv6_dst=", l.Dst)
	if v6 {
		b.WriteString(",ipv6_label=0x00000")
	}
	b.WriteString(",nw_tos=0,nw_ecn=0,nw_ttl=" + strconv.Itoa(ttl) + ",nw_frag=no")
	switch {
	case ports:
		fmt.Fprintf(b, ",tp_src=%d,tp_dst=%d", l.SrcPort, l.DstPort)
	case l.Proto == "icmp" || l.Proto == "icmp6":
		fmt.Fprintf(b, ",icmp_type=%d,icmp_code=%d", l.ICMPType, l.ICMPCode)
	}
	if l.Proto == "tcp" {
		b.WriteString(",tcp_flags=" + cmp.Or(l.TCPFlags, "0"))
	}
}

// writeAddr writes the field with the key of the address's family; nothing if invalid or without a key.
func writeAddr(b *strings.Builder, key4, key6 string, a netip.Addr) {
	switch {
	case a.Is4():
		b.WriteString(key4 + a.String())
	case a.Is6() && key6 != "":
		b.WriteString(key6 + a.String())
	}
}

// packetHop returns the packet's MAC addresses and TTL at the ACL, on the switch of its source or, for to-lport, target.
func packetHop(l logline.Line) (src, dst string, ttl int) {
	const hops = 64
	switch {
	case podSubnet(l.Src) == podSubnet(l.Dst):
		return nb.MAC(l.Src), nb.MAC(l.Dst), hops
	case l.Direction == nb.ToLport:
		return nb.MAC(subnetGateway(l.Dst)), nb.MAC(l.Dst), hops - 2
	}
	return nb.MAC(l.Src), nb.MAC(subnetGateway(l.Src)), hops
}

// podSubnet returns the /24 or /64 of a node's pods.
func podSubnet(a netip.Addr) netip.Prefix {
	bits := words.Choose(a.Is4(), 24, 64)
	p, _ := a.Prefix(bits) // invalid for an invalid address
	return p
}

// subnetGateway returns the first address of the subnet, the router's.
func subnetGateway(a netip.Addr) netip.Addr {
	if !a.IsValid() {
		return a
	}
	return podSubnet(a).Addr().Next()
}
