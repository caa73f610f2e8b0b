package verify

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/verdict"
	"rung/model/words"
)

// portsToAsk returns the statement's ports to ask about an end. A Service, by its name or ClusterIP, has only its
// own; at another address of Services, their ports are separate pieces. nil means a Problem.
func (j *statementJudge) portsToAsk(s *Statement, e verdict.Endpoint, ports []verdict.PortRange, t *statementTally) []verdict.PortRange {
	if e.Key.Kind == model.KindService {
		return j.servicePorts(s, e, t)
	}
	fronts, only := j.rev.Verdicts().FrontPorts(e)
	if only.Name != "" {
		return j.servicePorts(s, verdict.Endpoint{Key: only}, t)
	}
	if len(fronts) == 0 {
		return ports
	}
	out := verdict.SubtractPorts(ports, fronts)
	for _, p := range fronts {
		out = append(out, verdict.CommonPorts(ports, []verdict.PortRange{p})...)
	}
	return out
}

// servicePorts returns a statement's ports that a Service has; nil if none, which is a Problem.
func (j *statementJudge) servicePorts(s *Statement, e verdict.Endpoint, t *statementTally) (out []verdict.PortRange) {
	svc, _ := j.rev.Cluster.Get(e.Key).(*model.Service)
	if svc == nil {
		return nil
	}
	var has []string
	for _, p := range svc.Ports {
		r := verdict.PortRange{Protocol: cmp.Or(verdict.Protocol(p.Protocol), verdict.TCP), Lo: uint16(p.Port), Hi: uint16(p.Port)}
		has = append(has, fmt.Sprintf("%d/%s", r.Lo, r.Protocol))
		out = append(out, r)
	}
	out = verdict.CommonPorts(out, s.Ports)
	if len(out) == 0 {
		j.problem(s.ports, "%s has no such port; it has %s", e, words.OrNone(words.ListFew(has, 4)))
		t.failed = true
		return nil
	}
	return out
}

// commonFamilies returns the families in which both ends have addresses. Without one there is no connection; if an
// end has no known address, the answer says why.
func (j *statementJudge) commonFamilies(a, b verdict.Endpoint) (out []verdict.Family) {
	out = model.Filter([]verdict.Family{verdict.IPv4, verdict.IPv6}, func(f verdict.Family) bool {
		return j.hasFamily(a, f) && j.hasFamily(b, f)
	})
	known := func(e verdict.Endpoint) bool { return j.hasFamily(e, verdict.IPv4) || j.hasFamily(e, verdict.IPv6) }
	if len(out) == 0 && (!known(a) || !known(b)) {
		return []verdict.Family{verdict.AnyFamily}
	}
	return out
}

func (j *statementJudge) hasFamily(e verdict.Endpoint, f verdict.Family) bool {
	var ips []string
	switch o := j.rev.JudgedCluster().Get(e.Key).(type) {
	case *model.Pod:
		ips = o.IPs
		if n := j.rev.Cluster.Node(o.NodeName); o.HostNetwork && n != nil {
			return j.hasFamily(verdict.NodeEnd(n.Name), f)
		}
	case *model.Node:
		ips = slices.Concat(o.MgmtIPs, o.InternalIPs, o.HostIPs)
	case *model.Service:
		ips = o.ClusterIPs
	default:
		return e.Addr.IsValid() && verdict.AddrFamily(e.Addr) == f
	}
	return slices.ContainsFunc(verdict.ParseAddrs(ips), func(a netip.Addr) bool { return verdict.AddrFamily(a) == f })
}

// rowPorts returns the ports at which rows may divide a statement's ports between two ends: ranges are then
// asked in pieces that no row divides.
func (j *statementJudge) rowPorts(s *Statement, a, b verdict.Endpoint) (out []uint16) {
	single := true
	for _, p := range s.Ports {
		single = single && p.Lo == p.Hi
	}
	if single || b.Key.Kind == model.KindService {
		return nil
	}
	if fronts, only := j.rev.Verdicts().FrontPorts(b); only.Name != "" || len(fronts) > 0 {
		return j.allPorts()
	}
	for _, f := range j.commonFamilies(a, b) {
		// Port and protocol do not matter here; the later question reports errors.
		ports, _ := j.tracer.RowPorts(j.rev, verdict.Connection{From: a, To: b, Family: f, Protocol: verdict.TCP, Port: 1})
		out = append(out, ports...)
	}
	return out
}

// allPorts returns the ports at which rows of any zone may divide.
func (j *statementJudge) allPorts() []uint16 {
	if j.looked {
		return j.edges
	}
	j.looked = true
	seen := map[string]bool{}
	for _, db := range j.tracer.Databases(j.rev) {
		for a := range db.ACLs() {
			if seen[a.Match] {
				continue
			}
			seen[a.Match] = true
			if e, err := match.Parse(a.Match); err == nil {
				j.edges = append(j.edges, match.ComparedPorts(e)...)
			}
		}
	}
	return j.edges
}
