package judge

import (
	"net/netip"
	"slices"

	"rung/model"
)

// Verdict is the fate of a connection: let through, denied …
type Verdict string

// The verdicts.
const (
	Allow     Verdict = "allow"
	Deny      Verdict = "deny"
	Undefined Verdict = "undefined" // equal priorities disagree
	Unknown   Verdict = "unknown"   // it depends on what the objects do not say
	None      Verdict = "none"      // there can be no such connection
)

// Options are the settings of OVN-Kubernetes that rows depend on.
type Options struct {
	V4, V6    bool           // the cluster's address families
	Subnets   []netip.Prefix // the cluster's pod subnets
	Defaults  bool           // whether there are hairpin and node rows
	Multicast bool           // enable-multicast
	ICMP      bool           // allow-icmp-network-policy
	HostNS    string         // the host-network namespace of the configuration
	// DNS are the addresses of EgressFirewalls' names. Of another name nobody knows them.
	DNS map[string][]string
}

// hairpins are the fifth addresses of the masquerade subnets.
var hairpins = []netip.Addr{netip.MustParseAddr("169.254.169.5"), netip.MustParseAddr("fd69::5")}

// End is one end of a connection: a pod, a node, or an address outside. Addr is the
// address it has there; to a pod it may be that of a multicast group.
type End struct {
	Pod  *model.Pod
	Node *model.Node
	Addr netip.Addr
}

// port is the pod of an end where it has a logical port.
func (e End) port() *model.Pod {
	if e.Pod == nil || e.Pod.HostNetwork {
		return nil // it is its node
	}
	return e.Pod
}

// Connection is a new connection. Hairpin is one of a pod to itself through a Service.
type Connection struct {
	From, To End
	Protocol string // TCP, UDP, SCTP, ICMP
	Port     int
	Hairpin  bool
}

// By names the rule of a policy that decided or passed, or rows without a policy: their Key is
// the key of their kind and their Rule is -1.
type By struct {
	Tier      int
	Key       model.Key
	Direction model.Direction
	Rule      int
	Action    model.Action
}

// Hop is one stage on one node's switch.
type Hop struct {
	Stage   model.Stage
	Zone    string
	Verdict Verdict
	By      []By // who decides: several that agree, or candidates; nobody for the default
	Open    bool // By are candidates: which of them decides cannot be told
	Passed  []By
}

// Answer is the verdict on a connection. Why says why there is None.
type Answer struct {
	Verdict Verdict
	Why     string
	Hops    []Hop
}

// Judge answers for one connection.
func Judge(c *model.Cluster, o Options, conn Connection) Answer {
	if why := impossible(conn); why != "" {
		return Answer{Verdict: None, Why: why}
	}
	j := judge{cluster: c, Options: o}
	a := Answer{Verdict: Allow}
	way := path
	if conn.Hairpin {
		way = hairpin
	}
	for _, p := range way(conn) {
		hop := j.search(p)
		a.Hops = append(a.Hops, hop)
		a.Verdict = worse(a.Verdict, hop.Verdict)
	}
	return a
}

// impossible says why there can be no such connection, or none that policies see.
func impossible(c Connection) string {
	for _, e := range []End{c.From, c.To} {
		switch p := e.Pod; {
		case p == nil:
		case p.IsCompleted():
			return "completed"
		case p.NodeName == "":
			return "not scheduled"
		case p.HostNetwork:
		case p.PrimaryUDN() != "":
			return "user-defined network" // tier 0 keeps it apart, and policies are the default network's
		case len(p.IPs) == 0:
			return "no address"
		}
	}
	from, to := c.From.port(), c.To.port()
	switch {
	case !c.From.Addr.IsValid() || !c.To.Addr.IsValid() || c.From.Addr.Is4() != c.To.Addr.Is4():
		return "no common family"
	case from == nil && to == nil:
		return "no pod"
	case from != nil && from == to && !c.Hairpin && !c.To.Addr.IsMulticast():
		return "itself"
	}
	return ""
}

// worse puts the verdicts of two stages together: every stage must let the packet
// through, so a drop anywhere is a drop.
func worse(a, b Verdict) Verdict {
	order := []Verdict{Allow, Undefined, Unknown, Deny}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// packet is a packet in one stage on one switch. In and out are the pods whose ports it
// leaves and enters there, nil where that is another port; fromRouter and toRouter say
// that it is the one to the cluster's router.
type packet struct {
	stage                model.Stage
	zone                 string
	in, out              *model.Pod
	fromRouter, toRouter bool
	src, dst             netip.Addr
	protocol             string
	port                 int
}

// path lists the stages in their order (ovn-kubernetes.md#stages), on each switch that
// the packet crosses: from the sender's port to the receiver's, or, where they are on two
// nodes or one end is outside, to the router's port and from the router's port. A node
// sends from the management port of its own switch.
func path(c Connection) (path []packet) {
	from, to := c.From.port(), c.To.port()
	var there, here string
	switch {
	case from != nil:
		here = from.NodeName
	case c.From.Node != nil:
		here = c.From.Node.Name
	case c.From.Pod != nil:
		here = c.From.Pod.NodeName
	}
	if to != nil {
		there = to.NodeName
	}
	cross := func(p packet) {
		for _, p.stage = range model.PipelineStages() {
			path = append(path, p)
		}
	}
	p := packet{src: c.From.Addr, dst: c.To.Addr, protocol: c.Protocol, port: c.Port}
	if here == there {
		p.zone, p.in, p.out = here, from, to
		cross(p)
		return path
	}
	if here != "" {
		out := p
		out.zone, out.in, out.toRouter = here, from, true
		cross(out)
	}
	if there != "" {
		in := p
		in.zone, in.fromRouter, in.out = there, true, to
		cross(in)
	}
	return path
}

// hairpin is the path of a packet that load balancing sends back to the pod it came
// from: it turns round before the stage after load balancing, with another source address
// (ovn-kubernetes.md#hairpin-packets).
func hairpin(c Connection) []packet {
	pod := c.From.port()
	p := packet{stage: model.StageFromLport, zone: pod.NodeName, in: pod, out: pod, src: c.From.Addr, dst: c.To.Addr, protocol: c.Protocol, port: c.Port}
	back := p
	back.stage, back.src = model.StageToLport, hairpins[0]
	if !p.dst.Is4() {
		back.src = hairpins[1]
	}
	return []packet{p, back}
}
