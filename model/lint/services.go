package lint

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/selectors"
	"rung/model/verdict"
	"rung/model/words"
)

// serviceAddr is an address of a Service. Load balancing replaces it before rules are asked.
type serviceAddr struct {
	addr    netip.Addr
	service *model.Service
	ports   bool // only the Service's own ports are load balanced
}

// serviceAddrs returns the addresses of all Services, sorted, without addresses of nodes.
func serviceAddrs(c *model.Cluster) (out []serviceAddr) {
	nodes := map[netip.Addr]bool{}
	for n := range c.Nodes() {
		for _, a := range verdict.ParseAddrs(slices.Concat(n.InternalIPs, n.HostIPs)) {
			nodes[a] = true
		}
	}
	for s := range c.Services() {
		for i, ips := range [][]string{s.ClusterIPs, s.ExternalIPs, s.LoadBalancerIPs} {
			for _, a := range verdict.ParseAddrs(ips) {
				if !nodes[a] {
					out = append(out, serviceAddr{a, s, i > 0})
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b serviceAddr) int {
		return cmp.Or(a.addr.Compare(b.addr), a.service.Key.Compare(b.service.Key))
	})
	return out
}

// servicesIn returns the Service addresses in a peer's network, without its exceptions.
func (l *linter) servicesIn(n netip.Prefix, except []string) (out []serviceAddr) {
	if l.services == nil {
		all := serviceAddrs(l.c)
		l.services = &all
	}
	n = n.Masked()
	all := *l.services
	from, _ := slices.BinarySearchFunc(all, n.Addr(), func(a serviceAddr, to netip.Addr) int { return a.addr.Compare(to) })
	for _, a := range all[from:] {
		if !n.Contains(a.addr) {
			break
		}
		excepted := false
		for e := range selectors.ParsedNetworks(except) {
			excepted = excepted || e.Contains(a.addr)
		}
		if !excepted {
			out = append(out, a)
		}
	}
	return out
}

// checkServicePeers reports networks in a policy's rules that are Service addresses. Load balancing comes
// first, so rules see the address of an endpoint.
func (l *linter) checkServicePeers(p *model.Policy) {
	if p.Kind == model.KindMNP || p.IsRejected() { // secondary networks have no Services
		return
	}
	for r := range p.AllRules() {
		var never, partly []string
		var services []*model.Service
		for i := range r.Peers {
			for _, text := range r.Peers[i].Networks {
				n, ok := selectors.ParseNetwork(text)
				if !ok {
					continue
				}
				in := l.servicesIn(n, r.Peers[i].Except)
				switch {
				case len(in) == 0:
				case n.IsSingleIP():
					if !in[0].ports || isWithinServicePorts(r, in[0].service) {
						never = append(never, addressOfService(&in[0]))
						services = append(services, in[0].service)
					}
				case n.Bits() > 0 && l.holdsOnlyServices(n.Masked()):
					in = slices.DeleteFunc(slices.Clone(in), func(a serviceAddr) bool { return a.ports })
					if len(in) > 0 {
						partly = append(partly, fmt.Sprintf("%s contains %s, for example %s", text,
							words.Count(len(in), "Service address"), addressOfService(&in[0])))
						services = append(services, in[0].service)
					}
				}
			}
		}
		why := ": load balancing comes first, and rules see the address of an endpoint"
		if r.Direction == model.Ingress {
			why = ": no connection has a Service address as its source"
		}
		if len(never) > 0 {
			l.addAboutRule(p, r, PeerService, words.ListFew(never, shown)+why+", so the rule never matches it").Remedy = l.endpointsRemedy(r,
				services)
		} else if len(partly) > 0 {
			f := l.addAboutRule(p, r, PeerService, words.ListFew(partly, shown)+why+", so the rule does not match connections to these Services")
			f.Severity, f.Remedy = model.SeverityInfo, l.endpointsRemedy(r, services)
		}
	}
}

// namesOnlyServices reports whether every peer of a rule is the ClusterIP of a Service.
func (l *linter) namesOnlyServices(r *model.Rule) bool {
	for i := range r.Peers {
		pe := &r.Peers[i]
		for _, text := range pe.Networks {
			n, ok := selectors.ParseNetwork(text)
			if in := l.servicesIn(n, pe.Except); !ok || !n.IsSingleIP() || len(in) == 0 || in[0].ports {
				return false
			}
		}
		if len(pe.Networks) == 0 {
			return false
		}
	}
	return len(r.Peers) > 0
}

func addressOfService(a *serviceAddr) string {
	return fmt.Sprintf("%s is the address of service %s/%s", a.addr, a.service.Namespace, a.service.Name)
}

// isWithinServicePorts reports whether every port of the rule is a port of the Service. At an external address
// other ports are not load balanced.
func isWithinServicePorts(r *model.Rule, s *model.Service) bool {
	for _, p := range r.Ports {
		if !slices.ContainsFunc(s.Ports, func(sp model.ServicePort) bool {
			return sp.Port == p.Start && p.Start >= p.End && cmp.Or(sp.Protocol, "TCP") == p.Protocol
		}) {
			return false
		}
	}
	return len(r.Ports) > 0
}

// holdsOnlyServices reports whether no pod or node has an address in a network.
func (l *linter) holdsOnlyServices(n netip.Prefix) bool {
	if !l.x.InNetwork(n).IsEmpty() {
		return false
	}
	for node := range l.c.Nodes() {
		if slices.ContainsFunc(verdict.ParseAddrs(slices.Concat(node.InternalIPs, node.HostIPs)), n.Contains) {
			return false
		}
	}
	return true
}

// endpointsRemedy returns what to name instead of the Services: pods, or the endpoints of the first Service.
func (l *linter) endpointsRemedy(r *model.Rule, services []*model.Service) string {
	if r.Direction == model.Ingress {
		return "name the pods that open the connection"
	}
	s := services[0]
	if len(s.Selector.Map()) > 0 {
		return "select the pods behind the Service by labels, and name the port they listen on"
	}
	var at []string
	for es := range l.c.EndpointSlices() {
		if es.Namespace != s.Namespace || es.Service != s.Name {
			continue
		}
		for _, a := range es.Addresses {
			for _, p := range es.Ports {
				at = append(at, fmt.Sprintf("%s %s %d", a, p.Protocol, p.Port))
			}
		}
	}
	if len(at) == 0 {
		return "name the endpoints of the Service and the port they listen on"
	}
	return "name the endpoints: " + words.ListFew(at, shown)
}
