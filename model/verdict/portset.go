package verdict

import (
	"slices"

	"rung/model"
)

// portRange is a port range of a protocol; 0 to LastPort is the whole protocol.
type portRange struct {
	proto  int8
	lo, hi uint16
}

// PortSet holds the ports that a rule's rows match; nil is everything, an empty one nothing.
type PortSet []portRange

func (p PortSet) Has(proto int8, port uint16) bool {
	if p == nil {
		return true
	}
	for i := range p {
		if p[i].proto == proto && p[i].lo <= port && port <= p[i].hi {
			return true
		}
	}
	return false
}

func (p PortSet) HasProtocol(proto int8) bool {
	return p == nil || slices.ContainsFunc(p, func(r portRange) bool { return r.proto == proto })
}

// addEdges appends the ports of a protocol at which the set begins or has just ended.
func (p PortSet) addEdges(out []uint16, proto int8) []uint16 {
	for _, r := range p {
		if r.proto != proto || r.lo > r.hi {
			continue
		}
		if r.lo > 1 {
			out = append(out, r.lo)
		}
		if r.hi < LastPort {
			out = append(out, r.hi+1)
		}
	}
	return out
}

func fullPortRange(proto int8) portRange { return portRange{proto, 0, LastPort} }

// protocolIndex returns the index of a protocol known to OVN-Kubernetes, else -1. Only capitals are known
// (ovn-kubernetes.md#unknown-protocol).
func protocolIndex(protocol string) int8 {
	if !model.KnowsProtocol(protocol) {
		return -1
	}
	return int8(Protocol(protocol).Number())
}

// newPortRange returns the range of a valid port.
func newPortRange(proto int8, p *model.Port) portRange {
	return portRange{proto, uint16(p.Start), uint16(max(p.Start, p.End))}
}

// adminPorts returns the numeric ports of an AdminNetworkPolicy's rule. some is false if the rule has ports,
// but OVN-Kubernetes understands no numeric one.
func adminPorts(r *model.Rule) (out PortSet, some bool) {
	if len(r.Ports) == 0 {
		return nil, true
	}
	for i := range r.Ports {
		p := &r.Ports[i]
		if proto := protocolIndex(p.Protocol); p.Name == "" && !p.IsBroken() {
			out = append(out, newPortRange(proto, p))
		}
	}
	return out, len(out) > 0
}

// The defects of OVN-Kubernetes by which a rule's rows match differently from its spec.
const (
	DefectWholeProtocol = "a named port of a NetworkPolicy opens the whole protocol"
	DefectAnyPort       = "a port without number is ignored next to a numbered one of the same protocol"
	DefectNamedPeer     = "a named port in an ingress rule matches the rule's peers as destinations, too"
	DefectNoType        = "rules of a direction missing from policyTypes still allow"
)

// netpolPorts returns the ports in the rows of a NetworkPolicy's rule (ovn-kubernetes.md#rule-rows).
func netpolPorts(r *model.Rule) (out PortSet, some bool) {
	if len(r.Ports) == 0 {
		return nil, true
	}
	for proto := range int8(3) {
		var numbers PortSet
		found, numbered := false, false
		for i := range r.Ports {
			p := &r.Ports[i]
			if protocolIndex(p.Protocol) != proto {
				continue
			}
			found = true
			if p.Name != "" || p.Start == 0 {
				continue
			}
			numbered = true
			if !p.IsBroken() {
				numbers = append(numbers, newPortRange(proto, p))
			}
		}
		switch {
		case !found:
		case numbered:
			out = append(out, numbers...)
		default:
			out = append(out, fullPortRange(proto))
		}
	}
	return out, len(out) > 0
}

// NetpolDefect returns the defect by which a NetworkPolicy's row treats a port differently from its rule.
// matched is the row's answer; to is the destination pod, or nil.
func NetpolDefect(r *model.Rule, proto int8, port uint16, to *model.Pod, matched bool) string {
	if len(r.Ports) == 0 {
		return ""
	}
	means := false
	for i := range r.Ports {
		p := &r.Ports[i]
		switch {
		case protocolIndex(p.Protocol) != proto:
		case p.Name != "":
			means = means || to != nil && slices.ContainsFunc(to.Ports, func(c model.ContainerPort) bool {
				return c.Name == p.Name && protocolIndex(c.Protocol) == proto && uint16(c.Port) == port
			})
		default:
			means = means || p.Start == 0 || !p.IsBroken() && PortSet{newPortRange(proto, p)}.Has(proto, port)
		}
	}
	switch {
	case matched && !means:
		return DefectWholeProtocol
	case !matched && means:
		return DefectAnyPort
	}
	return ""
}

// firewallPorts returns the ports of an EgressFirewall's rule (ovn-kubernetes.md#firewall-match).
func firewallPorts(r *model.Rule) (out PortSet, some bool) {
	if len(r.Ports) == 0 {
		return nil, true
	}
	for i := range r.Ports {
		p := &r.Ports[i]
		switch proto := protocolIndex(p.Protocol); {
		case proto < 0:
		case p.Start == 0:
			out = append(out, fullPortRange(proto))
		default:
			out = append(out, portRange{proto, uint16(p.Start), uint16(p.Start)})
		}
	}
	return out, len(out) > 0
}

// PortSlices cuts ports at the edges of rules and at the ports of extra, so that a slice is decided alike.
func (x *Index) PortSlices(ports []PortRange, extra []uint16) (out []PortRange) {
	for _, r := range ports {
		if r.Lo >= r.Hi {
			out = append(out, r)
			continue
		}
		proto := int8(r.Protocol.Number())
		edges := slices.Clone(extra)
		for _, e := range extra {
			if e < LastPort {
				edges = append(edges, e+1)
			}
		}
		for _, terms := range x.Terms {
			for i := range terms {
				edges = terms[i].Ports.addEdges(edges, proto)
			}
		}
		slices.Sort(edges)
		lo := r.Lo
		for _, e := range slices.Compact(edges) {
			if lo < e && e <= r.Hi {
				out = append(out, PortRange{Protocol: r.Protocol, Lo: lo, Hi: e - 1})
				lo = e
			}
		}
		out = append(out, PortRange{Protocol: r.Protocol, Lo: lo, Hi: r.Hi})
	}
	return out
}
