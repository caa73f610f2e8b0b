package verify

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"rung/model"
	"rung/model/verdict"
	"rung/sources/manifests/yamltree"
)

// portsRead holds the fields of a statement that select its ports.
type portsRead struct {
	protocol     verdict.Protocol
	port, except *yaml.Node
}

func knownProtocol(p verdict.Protocol) bool {
	return p == verdict.TCP || p == verdict.UDP || p == verdict.SCTP || p == verdict.ICMP
}

// readPorts reads the ports of a statement: all, without protocol and port.
func (r *fileReader) readPorts(n *yaml.Node, p *portsRead) []verdict.PortRange {
	if p.protocol != "" && !knownProtocol(p.protocol) {
		return nil
	}
	var out []verdict.PortRange
	if p.port != nil {
		r.readStep(yamltree.FieldStep("port"), func() { out = r.portList(p.port, p.protocol) })
	} else {
		out = append(out, model.Filter(verdict.EveryPort(), func(all verdict.PortRange) bool {
			return p.protocol == "" || all.Protocol == p.protocol
		})...)
	}
	if p.except != nil {
		r.readStep(yamltree.FieldStep("exceptPort"), func() {
			bad := r.hasProblem
			out = verdict.SubtractPorts(out, r.portList(p.except, p.protocol))
			if len(out) == 0 && !bad && !r.hasProblem {
				r.addProblem(p.except, "leaves no port")
			}
		})
	}
	return verdict.JoinPorts(out)
}

// portList reads one port or a list of them.
func (r *fileReader) portList(n *yaml.Node, protocol verdict.Protocol) (out []verdict.PortRange) {
	one := func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode {
			r.addProblem(n, "want a port as 80, 8000-8100, 53/UDP or UDP")
			return
		}
		p, err := parsePort(n.Value, protocol)
		if err != nil {
			r.addProblem(n, "%v", err)
			return
		}
		out = append(out, p)
	}
	if n.Kind != yaml.SequenceNode {
		one(n)
		return out
	}
	if len(n.Content) == 0 {
		r.addProblem(n, "is empty")
	}
	r.readItems(n, one)
	return out
}

// parsePort parses "80", "8000-8100", "53/UDP", "UDP". protocol is the statement's, or empty: then a bare
// number means TCP.
func parsePort(text string, protocol verdict.Protocol) (verdict.PortRange, error) {
	number, proto, both := strings.Cut(strings.TrimSpace(text), "/")
	if p := verdict.Protocol(strings.ToUpper(number)); !both && knownProtocol(p) {
		number, proto = "", number
	}
	out := verdict.PortRange{Protocol: verdict.Protocol(strings.ToUpper(proto))}
	switch {
	case proto == "" && both:
		return out, fmt.Errorf("%q: want a protocol after the /, as in 53/UDP", text)
	case out.Protocol == "" && protocol == "":
		out.Protocol = verdict.TCP
	case out.Protocol == "":
		out.Protocol = protocol
	case !knownProtocol(out.Protocol):
		return out, fmt.Errorf("unknown protocol %q: use TCP, UDP, SCTP or ICMP", proto)
	case protocol != "" && protocol != out.Protocol:
		return out, fmt.Errorf("%q contradicts this statement's protocol %s", text, protocol)
	}
	if number == "" {
		if out.Protocol != verdict.ICMP {
			out.Lo, out.Hi = 1, 65535
		}
		return out, nil
	}
	if out.Protocol == verdict.ICMP {
		return out, fmt.Errorf("%q: ICMP has no ports", text)
	}
	first, last, isRange := strings.Cut(number, "-")
	lo, err1 := strconv.ParseUint(strings.TrimSpace(first), 10, 16)
	hi, err2 := lo, error(nil)
	if isRange {
		hi, err2 = strconv.ParseUint(strings.TrimSpace(last), 10, 16)
	}
	if err1 != nil || err2 != nil || lo == 0 || hi < lo {
		return out, fmt.Errorf("%q is not a port: use 1 to 65535, as 80, 8000-8100, 53/UDP or UDP", text)
	}
	out.Lo, out.Hi = uint16(lo), uint16(hi)
	return out, nil
}
