package overlap

import (
	"rung/model"
)

// portSet is what a rule's ports mean: everything, or ranges and names; nothing where
// all of them are broken.
type portSet struct {
	any    bool
	ranges []portRange
	names  []string
}

type portRange struct {
	protocol   string
	start, end int32
}

// lastPort is the highest port number; a whole protocol is 0 to it, which also
// stands for traffic of the protocol as such.
const lastPort = 65535

func newPortSet(ports []model.Port) portSet {
	s := portSet{any: len(ports) == 0}
	for _, p := range ports {
		switch {
		case p.Broken():
		case p.Name != "":
			s.names = append(s.names, p.Name)
		case p.Start == 0 && p.End == 0:
			s.ranges = append(s.ranges, portRange{p.Protocol, 0, lastPort})
		default:
			s.ranges = append(s.ranges, portRange{p.Protocol, p.Start, max(p.Start, p.End)})
		}
	}
	return s
}

// at is the set with its names resolved on one pod; without resolve the names
// mean nothing there.
func (s portSet) at(p *model.Pod, resolve bool) portSet {
	if len(s.names) == 0 {
		return s
	}
	out := portSet{any: s.any, ranges: s.ranges[:len(s.ranges):len(s.ranges)]}
	if !resolve {
		return out
	}
	for _, name := range s.names {
		for _, c := range p.Ports {
			if c.Name == name && model.KnowsProtocol(c.Protocol) {
				out.ranges = append(out.ranges, portRange{c.Protocol, c.Port, c.Port})
			}
		}
	}
	return out
}

// common is the first protocol and port that both sets have, names aside. Both
// are zero when both sets mean everything.
func (s portSet) common(o portSet) (protocol string, port int32, ok bool) { return s.commonBut(o, nil) }

// commonBut is common without some ports, of which there are few; nil for none.
func (s portSet) commonBut(o portSet, without func(protocol string, port int32) bool) (protocol string, port int32, ok bool) {
	first := func(r portRange) bool {
		for protocol, port = r.protocol, r.start; port <= r.end; port++ {
			if without == nil || !without(protocol, port) {
				return true
			}
		}
		return false
	}
	switch {
	case s.any && o.any:
		return "", 0, true
	case s.any:
		s, o = o, s
		fallthrough
	case o.any:
		for _, r := range s.ranges {
			if first(r) {
				return protocol, port, true
			}
		}
		return "", 0, false
	}
	for _, a := range s.ranges {
		for _, b := range o.ranges {
			if from, to := max(a.start, b.start), min(a.end, b.end); a.protocol == b.protocol && first(portRange{a.protocol, from, to}) {
				return protocol, port, true
			}
		}
	}
	return "", 0, false
}

// has says whether a port is in the set, names aside.
func (s portSet) has(protocol string, port int32) bool {
	_, _, ok := s.common(portSet{ranges: []portRange{{protocol, port, port}}})
	return ok
}

// PortMatch says whether a rule's ports let a connection of the protocol to the
// port through, names aside: a rule without ports matches every port.
func PortMatch(ports []model.Port, protocol string, port int32) bool {
	return newPortSet(ports).has(protocol, port)
}
