package verdict

import (
	"cmp"
	"slices"
)

// PortRange is a port range of a protocol. ICMP has ports 0 to 0.
type PortRange struct {
	Protocol Protocol `json:"protocol"`
	Lo       uint16   `json:"from"`
	Hi       uint16   `json:"to"`
}

// IsEveryPort reports whether the range has every port of the protocol.
func (r PortRange) IsEveryPort() bool { return r.Protocol == ICMP || r.Lo <= 1 && r.Hi == LastPort }

// FamiliarPorts are well-known ports, preferred in examples, the most likely first.
var FamiliarPorts = [...]Ports{{TCP, 80}, {TCP, 443}, {TCP, 8080}, {UDP, 53}}

// ExamplePort returns a port of the range, a familiar one if possible. The whole range is decided alike.
func (r PortRange) ExamplePort() uint16 {
	for _, p := range FamiliarPorts {
		if p.Protocol == r.Protocol && r.Lo <= p.Port && p.Port <= r.Hi {
			return p.Port
		}
	}
	return r.Lo
}

// Ports are the ports of a matrix: one port of a protocol, or all for the zero Ports.
type Ports struct {
	Protocol Protocol
	Port     uint16
}

const LastPort = 65535

// EveryPort returns all ports of all protocols.
func EveryPort() (out []PortRange) {
	for _, p := range Protocols {
		r := PortRange{Protocol: p}
		if p != ICMP {
			r.Lo, r.Hi = 1, LastPort
		}
		out = append(out, r)
	}
	return out
}

// SubtractPorts returns the ports of a list that are not in another, by protocol and in order.
func SubtractPorts(all, but []PortRange) (out []PortRange) {
	but = JoinPorts(but)
	for _, r := range all {
		out = append(out, r.WithoutPorts(but)...)
	}
	return JoinPorts(out)
}

// JoinPorts sorts ports by protocol and merges overlapping and adjacent ranges.
func JoinPorts(ports []PortRange) (out []PortRange) {
	ports = slices.Clone(ports)
	slices.SortFunc(ports, func(a, b PortRange) int {
		return cmp.Or(cmp.Compare(a.Protocol.Number(), b.Protocol.Number()), cmp.Compare(a.Lo, b.Lo), cmp.Compare(a.Hi, b.Hi))
	})
	for _, r := range ports {
		if n := len(out); n > 0 && out[n-1].Protocol == r.Protocol && int(r.Lo) <= int(out[n-1].Hi)+1 {
			out[n-1].Hi = max(out[n-1].Hi, r.Hi)
			continue
		}
		out = append(out, r)
	}
	return out
}

// CommonPorts returns the ports in both lists; an empty b means every port.
func CommonPorts(a, b []PortRange) (out []PortRange) {
	if len(b) == 0 {
		return a
	}
	for _, p := range a {
		for _, q := range b {
			if lo, hi := max(p.Lo, q.Lo), min(p.Hi, q.Hi); p.Protocol == q.Protocol && lo <= hi {
				out = append(out, PortRange{p.Protocol, lo, hi})
			}
		}
	}
	return out
}

// WithoutPorts returns the ports of the range without others, which must be in order.
func (r PortRange) WithoutPorts(others []PortRange) (out []PortRange) {
	for _, o := range others {
		if o.Protocol != r.Protocol || o.Hi < r.Lo || r.Hi < o.Lo {
			continue
		}
		if r.Lo < o.Lo {
			out = append(out, PortRange{r.Protocol, r.Lo, o.Lo - 1})
		}
		if o.Hi >= r.Hi {
			return out
		}
		r.Lo = o.Hi + 1
	}
	return append(out, r)
}
