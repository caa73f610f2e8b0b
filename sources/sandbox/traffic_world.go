package sandbox

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
	"rung/model/verdict"
)

// trafficWorld holds the pods and rows for choosing and judging connections. Unchanged parts are taken from
// the previous one.
type trafficWorld struct {
	cluster *model.Cluster
	pods    []*podEndpoint // all participants by name
	outside []flowTarget
	zones   map[string]*verdict.Zone
}

// podEndpoint is a pod that takes part.
type podEndpoint struct {
	zone, lport string
	ips         []netip.Addr
	ports       []flowTarget // declared ports, without addresses
}

// flowTarget is a possible destination.
type flowTarget struct {
	ip    netip.Addr
	proto match.Proto
	port  uint16
}

// refreshWorld updates the world from the cluster and the zones' databases.
func (t *Traffic) refreshWorld(c *model.Cluster, dbs map[string]*nb.DB, now time.Time) {
	old := t.world
	w := &trafficWorld{cluster: c, pods: old.pods, outside: old.outside, zones: map[string]*verdict.Zone{}}
	same := c == old.cluster && len(dbs) == len(old.zones)
	for name, db := range dbs {
		z := old.zones[name]
		if z == nil || z.DB != db {
			z = verdict.NewZone(name, db, &t.matches, z)
			same = false
		}
		w.zones[name] = z
	}
	if !same {
		w.pods, w.outside, t.recent = podEndpoints(c, w.zones), outsideTargets(c), nil
		rows := 0
		for _, z := range w.zones {
			for range z.DB.ACLs() {
				rows++
			}
		}
		t.matches.ForgetUnused(rows) // forget parsed matches that no row uses
	}
	t.world = w
	t.meters.dropFull(now)
}

// podEndpoints returns the pods that take part: running, on the default network, with an address and a port in
// their zone. If a NetworkPolicy selects a pod, the zone must have its rows, or the verdicts would be wrong.
func podEndpoints(c *model.Cluster, zones map[string]*verdict.Zone) []*podEndpoint {
	under := map[string][]model.Selector{}
	for p := range c.Policies(model.KindNP) {
		under[p.Namespace] = append(under[p.Namespace], p.Subject.Pods)
	}
	hasRows := map[[2]string]bool{} // zone and namespace
	for name, z := range zones {
		for namespace := range under {
			// The default-deny groups exist exactly while the NetworkPolicies' rows do (ovn-kubernetes.md#isolation-groups).
			ids := nb.IDs(nb.DefaultController, nb.OwnerNetpolNamespace,
				nb.IDPair{Key: nb.KeyName, Value: namespace}, nb.IDPair{Key: nb.KeyDirection, Value: "Ingress"})
			hasRows[[2]string{name, namespace}] = z.DB.PortGroupByName(nb.HashedName(ids[nb.KeyID])) != nil
		}
	}
	var out []*podEndpoint
	for p := range c.Pods() {
		z := zones[p.NodeName]
		if z == nil || p.Phase != "Running" || p.Deleting || !p.CanBePeer() || p.PrimaryUDN() != "" {
			continue
		}
		if !hasRows[[2]string{p.NodeName, p.Namespace}] &&
			slices.ContainsFunc(under[p.Namespace], func(s model.Selector) bool { return s.Matches(p.Labels) }) {
			continue
		}
		e := &podEndpoint{zone: p.NodeName, lport: nb.PortName(p.Namespace, p.Name)}
		if z.DB.PortByName(e.lport) == nil {
			continue
		}
		e.ips = addresses(p.IPs)
		for _, cp := range p.Ports {
			proto := match.Proto(strings.ToLower(cp.Protocol))
			if proto == match.TCP || proto == match.UDP || proto == match.SCTP {
				e.ports = append(e.ports, flowTarget{proto: proto, port: uint16(cp.Port)})
			}
		}
		if len(e.ips) > 0 {
			out = append(out, e)
		}
	}
	return out
}

// common are ports tried at any destination.
var common = []flowTarget{{proto: match.TCP, port: 80}, {proto: match.TCP, port: 443}, {proto: match.UDP, port: 5353},
	{proto: match.TCP, port: 5432}}

// outsideTargets returns destinations other than pods: well-known resolvers and web servers, the nodes' own
// services, and an address in each network of a tier-2 policy.
func outsideTargets(c *model.Cluster) []flowTarget {
	out := []flowTarget{
		{netip.MustParseAddr("8.8.8.8"), match.TCP, 443}, {netip.MustParseAddr("8.8.8.8"), match.UDP, 53},
		{netip.MustParseAddr("1.1.1.1"), match.TCP, 443}, {netip.MustParseAddr("2001:4860:4860::8888"), match.TCP, 443},
	}
	for n := range c.Nodes() {
		for _, a := range addresses(n.InternalIPs) {
			out = append(out, flowTarget{a, match.TCP, 6443}, flowTarget{a, match.TCP, 10250})
		}
	}
	return append(out, networkTargets(c)...)
}

// networksTried limits the networks of policies that traffic goes to.
const networksTried = 16

// networkTargets returns the first address of each network in an EgressFirewall or NetworkPolicy, on a port of
// its rule. It skips pods' addresses.
func networkTargets(c *model.Cluster) []flowTarget {
	var out []flowTarget
	seen := map[netip.Addr]bool{}
	for p := range c.Pods() {
		for _, a := range addresses(p.IPs) {
			seen[a] = true
		}
	}
	add := func(r *model.Rule, network netip.Prefix) {
		a := network.Masked().Addr()
		if next := a.Next(); network.Contains(next) {
			a = next
		}
		if network.Bits() > 0 && !seen[a] && len(out) < networksTried {
			seen[a] = true
			out = append(out, flowTarget{a, match.TCP, exampleTCPPort(r)})
		}
	}
	for _, kind := range []model.Kind{model.KindEF, model.KindNP} {
		for p := range c.Policies(kind) {
			for i := range p.Egress {
				for _, peer := range p.Egress[i].Peers {
					for _, network := range prefixes(peer.Networks) {
						add(&p.Egress[i], network)
					}
				}
			}
		}
	}
	return out
}

// exampleTCPPort returns a TCP port of a rule, 443 if it names none.
func exampleTCPPort(r *model.Rule) uint16 {
	for _, p := range r.Ports {
		if p.Protocol == "TCP" && p.Start > 0 {
			return uint16(p.Start)
		}
	}
	return 443
}

// pickFlow chooses a connection. Half of them repeat earlier ones, as real ones do.
func (t *Traffic) pickFlow() (trafficFlow, bool) {
	const remembered = 32
	srcPort := uint16(32768 + t.random.IntN(28232))
	if n := len(t.recent); n > 0 && t.random.IntN(2) == 0 {
		f := t.recent[t.random.IntN(n)]
		f.srcPort = srcPort
		return f, true
	}
	pods := t.world.pods
	if len(pods) == 0 {
		return trafficFlow{}, false
	}
	f := trafficFlow{src: pods[t.random.IntN(len(pods))], srcPort: srcPort}
	to := flowTarget{}
	if t.random.IntN(8) == 0 {
		to = t.world.outside[t.random.IntN(len(t.world.outside))]
	} else {
		f.dst = pods[t.random.IntN(len(pods))]
		to = common[t.random.IntN(len(common))]
		if n := len(f.dst.ports); n > 0 && t.random.IntN(4) > 0 {
			to = f.dst.ports[t.random.IntN(n)]
		}
	}
	f.proto, f.dstPort = to.proto, to.port
	if !f.pickAddresses(to.ip) {
		return trafficFlow{}, false
	}
	if len(t.recent) < remembered {
		t.recent = append(t.recent, f)
	} else {
		t.recent[t.random.IntN(remembered)] = f
	}
	return f, true
}

// pickAddresses sets two addresses of one family; false if there are none, or a pod would connect to itself.
func (f *trafficFlow) pickAddresses(to netip.Addr) bool {
	ips := []netip.Addr{to}
	switch f.dst {
	case nil:
	case f.src:
		return false
	default:
		ips = f.dst.ips
	}
	for _, a := range f.src.ips {
		for _, b := range ips {
			if a.Is4() == b.Is4() {
				f.from, f.to = a, b
				return true
			}
		}
	}
	return false
}
