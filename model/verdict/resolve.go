package verdict

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"

	"rung/model"
)

// found is an endpoint looked up: where it is, or why no policy is asked about it.
type found struct {
	End
	pod   *model.Pod
	addrs []netip.Addr
	node  string // of a node or of a pod on its network
	none  string // why not
}

// find looks an endpoint up.
func (x *Index) find(e Endpoint, source bool) (found, error) {
	switch e.Key.Kind {
	case model.KindPod:
		p := x.Cluster().Pod(e.Key.Namespace, e.Key.Name)
		if p == nil {
			return found{}, fmt.Errorf("%w: pod %s does not exist", ErrQuestion, e)
		}
		return x.findPod(e, p, source), nil
	case model.KindNode:
		n := x.Cluster().Node(e.Key.Name)
		if n == nil {
			return found{}, fmt.Errorf("%w: %s does not exist", ErrQuestion, e)
		}
		return x.findNode(e, n, source), nil
	case "":
		return x.findAddr(e, source), nil
	}
	return found{}, fmt.Errorf("%w: %s is no end of a connection", ErrQuestion, e.Key)
}

func (x *Index) findPod(e Endpoint, p *model.Pod, source bool) found {
	f := found{End: End{Endpoint: e, Zone: p.NodeName, Note: p.Assumed}, pod: p}
	udn := p.PrimaryUDN()
	switch {
	case p.Completed():
		f.none = e.String() + " is completed: it has no address any more"
	case p.NodeName == "":
		f.none = e.String() + " is not scheduled: it has no port yet"
	case p.HostNetwork:
		f.pod, f.Note = nil, x.doesNotApply()+"host-networked"
		f.node = p.NodeName
		f.addrs = addrsOf(p.IPs)
		if n := x.Cluster().Node(p.NodeName); n != nil {
			g := x.findNode(e, n, source)
			f.addrs, f.none = g.addrs, g.none
		}
		if p.Assumed != "" {
			f.Note += "; it " + p.Assumed
		}
		f.Zone = ""
		if source {
			f.Zone = p.NodeName
		}
	case udn != "":
		f.none = x.doesNotApply() + "the primary network of " + e.String() + " is " + udn
	case len(p.IPs) == 0:
		f.none = e.String() + " has no address yet"
	default:
		f.addrs = addrsOf(p.IPs)
	}
	if e.Addr.IsValid() && f.none == "" && !e.Addr.IsMulticast() {
		if !slices.Contains(f.addrs, e.Addr) {
			f.none = e.String() + ": this is no address of the pod"
		}
		f.addrs = []netip.Addr{e.Addr}
	}
	return f
}

// podAddrs are the addresses of a pod as a source or as a destination; none says why no policy
// is asked about it.
func (x *Index) podAddrs(p *model.Pod, source bool) (addrs []netip.Addr, none string) {
	f := x.findPod(Endpoint{Key: p.Key}, p, source)
	return f.addrs, f.none
}

// doesNotApply begins the reason why policies of pods are not about one.
func (x *Index) doesNotApply() string {
	if x.onAntrea() {
		return "no policy of pods applies: "
	}
	return "ANP does not apply: "
}

// findNode finds a node: it reaches pods from its management port, and is reached at its
// own addresses.
func (x *Index) findNode(e Endpoint, n *model.Node, source bool) found {
	f := found{End: End{Endpoint: e}, node: n.Name}
	switch {
	case source && x.onAntrea():
		f.Zone, f.addrs = n.Name, addrsOf(slices.Concat(antreaGateway(n), n.InternalIPs))
	case source:
		f.Zone, f.addrs = n.Name, addrsOf(n.MgmtIPs)
	default:
		f.addrs = addrsOf(slices.Concat(n.InternalIPs, n.HostIPs))
	}
	if e.Addr.IsValid() {
		f.addrs = []netip.Addr{e.Addr}
	}
	switch {
	case len(f.addrs) > 0:
	case source && !x.onAntrea():
		f.none = fmt.Sprintf("%s: the address that node %s sends from is not known: the node has no usable annotation %s", e, n.Name, model.AnnotationNodeSubnets)
	default:
		f.none = e.String() + ": its addresses are not known"
	}
	return f
}

// findAddr finds whose address it is.
func (x *Index) findAddr(e Endpoint, source bool) found {
	if at := x.with(e.Addr); len(at) == 1 && x.pods.At(int(x.ends[at[0]].pod)).Assumed == "" {
		p := x.pods.At(int(x.ends[at[0]].pod))
		return x.findPod(Endpoint{Key: p.Key, Addr: e.Addr}, p, source)
	}
	f := found{End: End{Endpoint: e}, addrs: []netip.Addr{e.Addr}, node: x.nodeOf[e.Addr]}
	if f.node != "" {
		f.Note = "an address of node " + f.node
		if source {
			f.Zone = f.node
		}
	}
	return f
}

// pair chooses the addresses: the first of a family that both have, IPv4 first.
func pair(from, to *found, family Family) bool {
	for _, f := range [...]Family{IPv4, IPv6} {
		if family != AnyFamily && family != f {
			continue
		}
		a, b := f.First(from.addrs), f.First(to.addrs)
		if g := to.Endpoint.Addr; g.IsValid() && g.IsMulticast() {
			if b = g; FamilyOf(g) != f {
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

// endOf is an end of a way.
func (x *Index) endOf(f *found) end {
	e := end{pod: f.pod, at: -1, addr: f.Addr, zone: f.Zone}
	if f.pod == nil {
		return e
	}
	// The port is the pod's, whatever address the packet carries.
	for _, at := range x.of(f.pod) {
		if e.at < 0 || x.ends[at].addr == f.Addr {
			e.at = at
		}
	}
	return e
}

// backends are the endpoints of a Service for one of its ports.
func (x *Index) backends(e Endpoint, proto Protocol, port uint16) (out []found, none string, err error) {
	s, _ := x.Cluster().Get(e.Key).(*model.Service)
	if s == nil {
		return nil, "", fmt.Errorf("%w: %s does not exist", ErrQuestion, e)
	}
	sp := servicePort(s, proto, port)
	if sp == nil {
		return nil, fmt.Sprintf("%s has no port %d of %s", e, port, proto), nil
	}
	target := sp.TargetPort
	for _, f := range x.endpointsOf(s) {
		f.Port = port
		switch n, err := strconv.Atoi(target); {
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

// serviceAddr is the Service's own address of a family; not valid where it has none.
func (x *Index) serviceAddr(e Endpoint, f Family) netip.Addr {
	if s, _ := x.Cluster().Get(e.Key).(*model.Service); s != nil {
		return f.First(addrsOf(s.ClusterIPs))
	}
	return netip.Addr{}
}

// frontAddr is the address by which a Service was asked: of a node that was named, its own.
func (x *Index) frontAddr(f *Front, family Family) netip.Addr {
	if n := x.Cluster().Node(f.Node); n != nil && !f.Addr.IsValid() {
		return family.First(addrsOf(slices.Concat(n.InternalIPs, n.HostIPs)))
	}
	return f.Addr
}

// endpointsOf are those that its EndpointSlices list; without any, the pods that it selects
// and that run: one that is pending, or has no address of its own, is no endpoint.
func (x *Index) endpointsOf(s *model.Service) (out []found) {
	sliced := false
	for es := range x.Cluster().EndpointSlices() {
		if es.Namespace != s.Namespace || es.Service != s.Name {
			continue
		}
		sliced = true
		for _, ip := range addrsOf(es.Addresses) {
			out = append(out, x.findAddr(AddrEnd(ip), false))
		}
	}
	if sliced || len(s.Selector.Map()) == 0 {
		return out
	}
	for p := range x.Cluster().PodsIn(s.Namespace) {
		if selects(s.Selector, p.Labels) && !p.Completed() && p.Phase != "Pending" && p.NodeName != "" && len(p.IPs) > 0 && p.Assumed == "" {
			out = append(out, x.findPod(Endpoint{Key: p.Key}, p, false))
		}
	}
	return out
}

func selects(want, has model.Labels) bool {
	for k, v := range want.Map() {
		if got, ok := has.Map()[k]; !ok || got != v {
			return false
		}
	}
	return true
}
