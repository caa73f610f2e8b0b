package verdict

import (
	"cmp"
	"net/netip"
	"slices"

	"rung/model"
)

// findServiceFront returns the Service behind a connection's destination address or node, or nil. For a ClusterIP the
// port does not matter: nothing else has the address.
func findServiceFront(x *Index, c Connection) *ServiceFront {
	if c.To.Key.Kind != "" && c.To.Key.Kind != model.KindNode {
		return nil
	}
	all := x.ServiceFronts()
	var own *ServiceFront
	for _, f := range all.ByAddr[c.To.Addr] {
		f.AskedPort, f.Port = c.Port, c.Port
		if s, _ := x.Cluster().Get(f.Service).(*model.Service); ServicePort(s, c.Protocol, c.Port) != nil {
			return &f
		}
		if f.Kind == ClusterIP {
			own = &f
		}
	}
	if f, is := all.NodePorts[PortRange{Protocol: c.Protocol, Lo: c.Port, Hi: c.Port}]; is {
		f.Node = cmp.Or(c.To.Key.Name, x.NodeWithAddr(c.To.Addr))
		if f.Node != "" {
			f.Addr = c.To.Addr
			return &f
		}
	}
	return own
}

// ServiceEndpoints returns the pods of a Service's endpoints, and the nodes of all its endpoints.
func ServiceEndpoints(x *Index, k model.Key) (pods map[model.Key]bool, nodes map[string]bool) {
	pods, nodes = map[model.Key]bool{}, map[string]bool{}
	if s, _ := x.Cluster().Get(k).(*model.Service); s != nil {
		for _, f := range listEndpoints(x, s) {
			if f.pod != nil {
				pods[f.pod.Key] = true
			}
			nodes[cmp.Or(f.node, f.Zone)] = true
		}
	}
	return pods, nodes
}

// OnlyService finds a Service with a port that its pod does not have: a connection through it goes to another
// port of the pod.
func OnlyService(x *Index, pod model.Key, proto Protocol, port uint16) (service model.Key, target uint16, ok bool) {
	p := x.Cluster().Pod(pod.Namespace, pod.Name)
	if p == nil || slices.ContainsFunc(p.Ports, func(c model.ContainerPort) bool {
		return uint16(c.Port) == port && (c.Protocol == string(proto) || c.Protocol == "" && proto == TCP)
	}) {
		return service, 0, false
	}
	for s := range x.Cluster().Services() {
		if s.Namespace != pod.Namespace || ServicePort(s, proto, port) == nil {
			continue
		}
		to, _, err := serviceBackends(x, Endpoint{Key: s.Key}, proto, port)
		for i := range to {
			if err == nil && to[i].Key == pod && to[i].Port != port {
				return s.Key, to[i].Port, true
			}
		}
	}
	return service, 0, false
}

// OpenFamilies returns both families if the question leaves the family open and both ends have addresses of
// both; else none.
func OpenFamilies(x *Index, c Connection) (out []Family) {
	if c.Family != AnyFamily || c.From.Addr.IsValid() || c.To.Addr.IsValid() || c.CheckQuestion() != nil {
		return nil
	}
	from, err := resolveEnd(x, c.From, true)
	if err != nil || from.whyNotAsked != "" {
		return nil
	}
	to := resolvedEnd{}
	if s, _ := x.Cluster().Get(c.To.Key).(*model.Service); s != nil {
		to.addrs = ParseAddrs(s.ClusterIPs)
		if len(to.addrs) == 0 { // headless
			for _, f := range listEndpoints(x, s) {
				to.addrs = append(to.addrs, f.addrs...)
			}
		}
	} else if to, err = resolveEnd(x, c.To, false); err != nil || to.whyNotAsked != "" {
		return nil
	}
	for _, f := range [...]Family{IPv4, IPv6} {
		if f.FirstAddr(from.addrs).IsValid() && f.FirstAddr(to.addrs).IsValid() {
			out = append(out, f)
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// throughNode fills in the path to an endpoint through another node's NodePort. The sender's rules see that
// node; it forwards the connection from an address of its own. Which address depends on the gateway mode, so
// the verdict is known only if rules treat all of them alike.
func throughNode(x *Index, p *Path, w *packetRoute, front *ServiceFront, judge func(*packetRoute) []StageVerdict) {
	n := x.Cluster().Node(front.Node)
	family := AddrFamily(w.to.addr)
	first := *w
	first.hairpin = false // a pod that is its own endpoint leaves its node, too
	first.service, first.servicePort, first.serviceKey = netip.Addr{}, 0, model.Key{}
	first.to, first.port = routeEnd{indexEnd: -1, addr: front.Addr}, front.AskedPort
	p.Stages = judge(&first)
	p.Via, p.Note = front.Node, "node "+front.Node+" load balances it and forwards it from an address of its own"
	p.Verdict = JoinStages(p.Stages)
	if p.Verdict == Deny {
		return
	}
	var then []StageVerdict
	var joined Verdict
	for _, a := range ParseAddrs(slices.Concat(n.GatewayIPs, n.MgmtIPs, n.InternalIPs, n.HostIPs)) {
		if AddrFamily(a) != family {
			continue
		}
		next := first
		next.from, next.to, next.port = routeEnd{indexEnd: -1, addr: a}, w.to, w.port
		if next.atEnds || slices.Contains(ParseAddrs(n.MgmtIPs), a) {
			next.from.zone = n.Name
		}
		var stages []StageVerdict
		if w.to.pod != nil {
			stages = judge(&next)
		}
		switch is := JoinStages(stages); {
		case then == nil:
			then, joined = stages, is
		case is != joined:
			p.Stages, p.Verdict = append(p.Stages, then...), Unknown
			p.Reason = "rules depend on the address from which node " + front.Node + " forwards it, which depends on the gateway mode"
			return
		}
	}
	if joined == "" {
		p.Verdict, p.Reason = Unknown, "the addresses of node "+front.Node+" are unknown"
		return
	}
	p.Stages = append(p.Stages, then...)
	p.Verdict = JoinStages(p.Stages)
}

// ServesFamily reports whether a Service has an endpoint of a family.
func ServesFamily(x *Index, f *ServiceFront, proto Protocol, family Family) bool {
	to, _, err := serviceBackends(x, Endpoint{Key: f.Service}, proto, f.Port)
	return err == nil && slices.ContainsFunc(to, func(f resolvedEnd) bool {
		return f.whyNotAsked == "" && family.FirstAddr(f.addrs).IsValid()
	})
}
