package verdict

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"

	"rung/model"
	"rung/model/words"
)

// resolvedEnd is a resolved endpoint: its place, or why no policy applies.
type resolvedEnd struct {
	End
	pod         *model.Pod
	addrs       []netip.Addr
	node        string               // of a node, or of a pod on its network
	whyNotAsked string               // why no policy applies, or empty
	isolated    bool                 // tier 0 isolates the pod on this network: only its open ports are reachable
	slicePorts  []model.EndpointPort // of the EndpointSlice that lists it
}

func resolveEnd(x *Index, e Endpoint, source bool) (resolvedEnd, error) {
	switch e.Key.Kind {
	case model.KindPod:
		p := x.Cluster().Pod(e.Key.Namespace, e.Key.Name)
		if p == nil {
			return resolvedEnd{}, fmt.Errorf("%w: pod %s does not exist", ErrQuestion, e)
		}
		return findPod(x, e, p, source), nil
	case model.KindNode:
		n := x.Cluster().Node(e.Key.Name)
		if n == nil {
			return resolvedEnd{}, fmt.Errorf("%w: %s does not exist", ErrQuestion, e)
		}
		return findNode(x, e, n, source), nil
	case "":
		return findAddr(x, e, source), nil
	}
	return resolvedEnd{}, fmt.Errorf("%w: %s cannot be an end of a connection", ErrQuestion, e.Key)
}

func findPod(x *Index, e Endpoint, p *model.Pod, source bool) resolvedEnd {
	f := resolvedEnd{End: End{Endpoint: e, Zone: p.NodeName, Note: p.Assumed, HasMadeUpAddr: p.MadeUpIPs}, pod: p}
	udn := p.PrimaryUDN()
	switch {
	case p.IsCompleted():
		f.whyNotAsked = e.String() + " is completed: it no longer has an address"
	case p.NodeName == "":
		f.whyNotAsked = e.String() + " is not scheduled: it has no port yet"
	case p.HostNetwork:
		f.pod, f.Note = nil, x.Precedence().ExemptPrefix+"host-networked"
		f.node = p.NodeName
		f.addrs = ParseAddrs(p.IPs)
		if n := x.Cluster().Node(p.NodeName); n != nil {
			g := findNode(x, e, n, source)
			f.addrs, f.whyNotAsked = g.addrs, g.whyNotAsked
		} else if len(f.addrs) == 0 {
			f.whyNotAsked = e.String() + " is host-networked; the addresses of its node are unknown"
		}
		if p.Assumed != "" {
			f.Note += "; it " + p.Assumed
		}
		f.Zone = ""
		if source {
			f.Zone = p.NodeName
		}
	case p.Network != "" && len(p.LogicalPorts) == 0:
		f.whyNotAsked = e.String() + " has unreadable annotations: its port on " + p.Network + " is unknown"
	case udn != "":
		f.whyNotAsked = x.Precedence().ExemptPrefix + "the primary network of " + e.String() + " is " + udn
		f.isolated, f.addrs = true, ParseAddrs(p.IPs)
	case len(p.IPs) == 0:
		f.whyNotAsked = e.String() + " has no address yet"
	default:
		f.addrs = ParseAddrs(p.IPs)
	}
	if e.Addr.IsValid() && f.whyNotAsked == "" && !e.Addr.IsMulticast() {
		if !slices.Contains(f.addrs, e.Addr) {
			f.whyNotAsked = e.String() + ": not an address of the pod"
		}
		f.addrs = []netip.Addr{e.Addr}
	}
	return f
}

// PodAddrs returns the addresses of a pod as source or destination. none is why no policy applies, or empty.
func PodAddrs(x *Index, p *model.Pod, source bool) (addrs []netip.Addr, none string) {
	f := findPod(x, Endpoint{Key: p.Key}, p, source)
	return f.addrs, f.whyNotAsked
}

// findNode resolves a node. It reaches pods from its source addresses and is reached at its own addresses.
func findNode(x *Index, e Endpoint, n *model.Node, source bool) resolvedEnd {
	f := resolvedEnd{End: End{Endpoint: e}, node: n.Name}
	f.addrs = ParseAddrs(slices.Concat(n.InternalIPs, n.HostIPs))
	if source {
		f.Zone, f.addrs = n.Name, ParseAddrs(x.Precedence().SourceAddrs(n))
	}
	if e.Addr.IsValid() {
		f.addrs = []netip.Addr{e.Addr}
	}
	switch {
	case len(f.addrs) > 0:
	case source && x.Precedence().NoSource != nil:
		f.whyNotAsked = e.String() + ": " + x.Precedence().NoSource(n.Name)
	default:
		f.whyNotAsked = e.String() + ": its addresses are unknown"
	}
	return f
}

// findAddr resolves an address to its pod or node.
func findAddr(x *Index, e Endpoint, source bool) resolvedEnd {
	if at := x.EndsAt(e.Addr); len(at) == 1 && x.Pods.PodAt(int(x.Ends[at[0]].Pod)).Assumed == "" {
		p := x.Pods.PodAt(int(x.Ends[at[0]].Pod))
		return findPod(x, Endpoint{Key: p.Key, Addr: e.Addr}, p, source)
	}
	f := resolvedEnd{End: End{Endpoint: e}, addrs: []netip.Addr{e.Addr}, node: x.NodeByAddr[e.Addr]}
	if f.node != "" {
		f.Note = "an address of node " + f.node
		if source {
			f.Zone = f.node
			f.Note += nodeSourceNote(x, f.node, e.Addr)
		}
	}
	return f
}

// nodeSourceNote returns the address from which a node's own connections to pods come, as a note; empty if it
// is the address asked about.
func nodeSourceNote(x *Index, node string, asked netip.Addr) string {
	n := x.Cluster().Node(node)
	if n == nil {
		return ""
	}
	from := ParseAddrs(x.Precedence().SourceAddrs(n))
	if slices.Contains(from, asked) {
		return ""
	}
	if at := AddrFamily(asked).FirstAddr(from); at.IsValid() {
		return "; the node's own connections to pods come from " + at.String() + ": ask with node/" + node
	}
	return "; the node's own connections to pods come from another, unknown address"
}

// chooseAddrs chooses the first addresses of a family that both ends have, IPv4 first.
func chooseAddrs(from, to *resolvedEnd, family Family) bool {
	for _, f := range [...]Family{IPv4, IPv6} {
		if family != AnyFamily && family != f {
			continue
		}
		a, b := f.FirstAddr(from.addrs), f.FirstAddr(to.addrs)
		if g := to.Endpoint.Addr; g.IsValid() && g.IsMulticast() {
			b = g
			if AddrFamily(g) != f {
				b = netip.Addr{}
			}
		}
		if a.IsValid() && b.IsValid() {
			from.Addr, to.Addr = a, b
			return true
		}
	}
	return false
}

func newRouteEnd(x *Index, f *resolvedEnd) routeEnd {
	e := routeEnd{pod: f.pod, indexEnd: -1, addr: f.Addr, zone: f.Zone}
	if f.pod == nil {
		return e
	}
	// The port is the pod's, whichever address the packet carries.
	for _, at := range x.PodEnds(f.pod) {
		if e.indexEnd < 0 || x.Ends[at].Addr == f.Addr {
			e.indexEnd = at
		}
	}
	return e
}

// otherPorts returns a note with the Service's actual ports, or "".
func otherPorts(ports []Ports) string {
	if len(ports) == 0 {
		return ""
	}
	return "; it has " + words.List(model.MapList(ports, func(p Ports) string { return fmt.Sprintf("%s %d", p.Protocol, p.Port) }), 4)
}

// serviceBackends returns a Service's endpoints for a port, or in none why it has no endpoints.
func serviceBackends(x *Index, e Endpoint, proto Protocol, port uint16) (out []resolvedEnd, none string, err error) {
	s, _ := x.Cluster().Get(e.Key).(*model.Service)
	if s == nil {
		return nil, "", fmt.Errorf("%w: %s does not exist", ErrQuestion, e)
	}
	sp := ServicePort(s, proto, port)
	if sp == nil {
		return nil, fmt.Sprintf("%s has no %s port %d%s", e, proto, port, otherPorts(x.ServicePorts(e.Key))), nil
	}
	target := sp.TargetPort
	for _, f := range listEndpoints(x, s) {
		at := f.slicePorts
		i := slices.IndexFunc(at, func(e model.EndpointPort) bool { return e.Name == sp.Name && e.Protocol == string(proto) })
		f.Port = port
		switch n, err := strconv.Atoi(target); {
		case i >= 0: // the slice has the port, and is the only source for a Service without selector
			f.Port = uint16(at[i].Port)
		case target == "" || target == "0":
		case err == nil:
			f.Port = uint16(n)
		case f.pod != nil:
			i := slices.IndexFunc(f.pod.Ports, func(c model.ContainerPort) bool { return c.Name == target && c.Protocol == string(proto) })
			if i < 0 {
				continue // this pod does not serve the port
			}
			f.Port = uint16(f.pod.Ports[i].Port)
		}
		out = append(out, f)
	}
	if len(out) == 0 {
		return nil, e.String() + " has no endpoints", nil
	}
	return out, "", nil
}

// serviceAddr returns the Service's ClusterIP of a family; invalid if it has none.
func serviceAddr(x *Index, e Endpoint, f Family) netip.Addr {
	if s, _ := x.Cluster().Get(e.Key).(*model.Service); s != nil {
		return f.FirstAddr(ParseAddrs(s.ClusterIPs))
	}
	return netip.Addr{}
}

// frontAddr returns the address at which a Service was asked; for a named node, the node's own.
func frontAddr(x *Index, f *ServiceFront, family Family) netip.Addr {
	if n := x.Cluster().Node(f.Node); n != nil && !f.Addr.IsValid() {
		return family.FirstAddr(ParseAddrs(slices.Concat(n.InternalIPs, n.HostIPs)))
	}
	return f.Addr
}

// listEndpoints returns the endpoints in a Service's EndpointSlices. Without slices it returns the running pods
// that the Service selects, so none that is pending or without an address. A pod still to be created counts,
// since it will run.
func listEndpoints(x *Index, s *model.Service) (out []resolvedEnd) {
	sliced := false
	for es := range x.Cluster().EndpointSlices() {
		if es.Namespace != s.Namespace || es.Service != s.Name {
			continue
		}
		sliced = true
		for _, ip := range ParseAddrs(es.Addresses) {
			f := findAddr(x, AddrEnd(ip), false)
			f.slicePorts = es.Ports
			out = append(out, f)
		}
	}
	if sliced || len(s.Selector.Map()) == 0 {
		return out
	}
	selector := model.SelectLabels(s.Selector)
	for p := range x.Cluster().PodsIn(s.Namespace) {
		if selector.Matches(p.Labels) && (p.Planned != nil || !p.IsCompleted() && p.Phase != "Pending" && p.NodeName != "" && len(p.IPs) > 0 &&
			p.Assumed == "") {
			out = append(out, findPod(x, Endpoint{Key: p.Key}, p, false))
		}
	}
	return out
}
