package selectors

import (
	"fmt"
	"iter"
	"net/netip"
	"strings"

	"rung/model"
)

// RuleReach holds the pods and networks that a rule's peers match in one cluster, now.
type RuleReach struct {
	// Pods are the eligible pods that pod and namespace peers select.
	Pods PodSet
	// Networks are the masked networks of networks peers, and each node address of nodes peers as a network of
	// one address, in order.
	Networks []netip.Prefix
	// Everyone is set for a NetworkPolicy's rule without peers, which matches everyone.
	Everyone bool
	// byFamily are all eligible pods the rule reaches over IPv4 and over IPv6, by label or address.
	byFamily [2]PodSet
}

// ReachOfRule resolves the peers of a rule. Invalid networks match nobody.
func (x *PodIndex) ReachOfRule(r *model.Rule) *RuleReach {
	re := &RuleReach{Everyone: r.AnyPeer}
	for i := range r.Peers {
		pe := &r.Peers[i]
		switch pe.Kind {
		case model.PeerNamespaces, model.PeerPods:
			if s := x.PeerSet(pe); re.Pods == nil {
				re.Pods = s
			} else {
				re.Pods = re.Pods.Or(s)
			}
		case model.PeerNetworks:
			for n := range ParsedNetworks(pe.Networks) {
				re.Networks = append(re.Networks, n.Masked())
			}
		case model.PeerNodes:
			for _, n := range x.NodesMatching(pe.Nodes) {
				for _, ip := range n.HostIPs {
					if a, err := netip.ParseAddr(ip); err == nil {
						a = a.Unmap()
						re.Networks = append(re.Networks, netip.PrefixFrom(a, a.BitLen()))
					}
				}
			}
		}
	}
	for f := range re.byFamily {
		if re.Everyone {
			re.byFamily[f] = x.family[f]
			continue
		}
		re.byFamily[f] = re.Pods.And(x.family[f])
	}
	for _, n := range re.Networks {
		f := familyIndex(n.Addr())
		re.byFamily[f] = re.byFamily[f].Or(x.InNetwork(n))
	}
	return re
}

// ReachedPods returns all eligible pods the rule reaches, by label or by address.
func (re *RuleReach) ReachedPods() PodSet { return re.byFamily[0].Or(re.byFamily[1]) }

// IsEmpty reports whether the rule reaches nobody at all.
func (re *RuleReach) IsEmpty() bool {
	return !re.Everyone && len(re.Networks) == 0 && re.Pods.IsEmpty()
}

// RuleMeeting is traffic that two rules both match.
type RuleMeeting struct {
	Subject model.Key // the subject pod of both policies, or treated as such (MeetNamedPorts)
	// Peer is a pod ("red/web-1") or else the narrower of the two networks.
	Peer string
	// Protocol and Port are empty and 0 if both rules match everything.
	Protocol string
	Port     int32
}

// Text returns the traffic in its direction: "blue/api-7 → red/web-1 tcp 8080".
func (m RuleMeeting) Text(d model.Direction) string {
	pod := m.Subject.Namespace + "/" + m.Subject.Name
	from, to := pod, m.Peer
	if d == model.Ingress {
		from, to = m.Peer, pod
	}
	switch {
	case m.Protocol == "":
		return from + " → " + to + " any port"
	case m.Port == 0:
		return from + " → " + to + " " + strings.ToLower(m.Protocol)
	}
	return fmt.Sprintf("%s → %s %s %d", from, to, strings.ToLower(m.Protocol), m.Port)
}

// ResolvedRule is a rule resolved in one PodIndex, ready for comparison with other rules of its direction.
type ResolvedRule struct {
	rule  *model.Rule
	reach *RuleReach
	ports portSet
	nets  NetworkSet
}

// Rule returns the original rule.
func (r *ResolvedRule) Rule() *model.Rule { return r.rule }

// Reach returns the pods and networks of the rule's peers.
func (r *ResolvedRule) Reach() *RuleReach { return r.reach }

// ResolveRule resolves a rule.
func (x *PodIndex) ResolveRule(r *model.Rule) *ResolvedRule {
	v := &ResolvedRule{rule: r, reach: x.ReachOfRule(r), ports: newPortSet(r.Ports)}
	for i, n := range v.reach.Networks {
		v.nets.Add(n, i)
	}
	return v
}

// SetFamilies sets the families with compiled rows: rules meet in no other, except for named ports, whose rows
// name addresses of both (ovn-kubernetes.md#named-ports). Neither means both. Call it before the first query.
func (x *PodIndex) SetFamilies(v4, v6 bool) { x.missing = [2]bool{!v4 && v6, v4 && !v6} }

// MeetRules finds existing traffic of the subject pods that two rules of one direction both match: the same
// pod or address as peer, a family the subject has, and a common port. It resolves named ports on the
// destination like the compiler (ovn-kubernetes.md#named-ports). Pods with another primary network have no
// traffic that ACLs from tier 1 on see (ovn-kubernetes.md#tier-0).
func (x *PodIndex) MeetRules(subject PodSet, a, b *ResolvedRule) (RuleMeeting, bool) {
	subject = subject.And(x.defaultNetwork)
	if proto, port, ok := a.ports.commonPort(b.ports); ok {
		if m, ok := x.meetPeers(subject, a, b); ok {
			m.Protocol, m.Port = proto, port
			return m, true
		}
	}
	if len(a.ports.names) > 0 || len(b.ports.names) > 0 {
		return x.meetNamedHolders(subject, a, b)
	}
	return RuleMeeting{}, false
}

func (x *PodIndex) meetPeers(subject PodSet, a, b *ResolvedRule) (RuleMeeting, bool) {
	for f := range x.family {
		if x.missing[f] || !a.reach.byFamily[f].Meets(b.reach.byFamily[f]) {
			continue
		}
		from := subject.And(x.family[f])
		if m, ok := x.pickPair(from, a.reach.byFamily[f].And(b.reach.byFamily[f])); ok {
			return m, true
		}
	}
	for f := range x.family {
		if x.missing[f] {
			continue
		}
		for n := range x.commonNetworks(f, a, b) {
			if from := subject.And(x.family[f]); !from.IsEmpty() {
				return RuleMeeting{Subject: x.FirstPod(from).Key, Peer: networkText(n)}, true
			}
		}
	}
	return RuleMeeting{}, false
}

// commonNetworks yields the networks of a family that both rules name. It skips addresses of pods, since pods
// are compared as pods.
func (x *PodIndex) commonNetworks(f int, a, b *ResolvedRule) iter.Seq[netip.Prefix] {
	return func(yield func(netip.Prefix) bool) {
		for _, pair := range [][2]*ResolvedRule{{a, b}, {b, a}} {
			for _, n := range pair[0].reach.Networks {
				if familyIndex(n.Addr()) != f || n.IsSingleIP() && !x.InNetwork(n).IsEmpty() {
					continue
				}
				if _, _, ok := pair[1].nets.NarrowestCovering(n); (ok || pair[1].reach.Everyone) && !yield(n) {
					return
				}
			}
		}
	}
}

// pickPair picks a subject and another pod as its peer: traffic of a pod with itself does not pass OVN.
func (x *PodIndex) pickPair(subjects, peers PodSet) (RuleMeeting, bool) {
	for s := range subjects.Each() {
		for p := range peers.Each() {
			if p != s && x.defaultNetwork.Has(p) {
				return RuleMeeting{Subject: x.pods[s].Key, Peer: x.pods[p].Namespace + "/" + x.pods[p].Name}, true
			}
		}
	}
	return RuleMeeting{}, false
}

// meetNamedHolders tries the pods that declare a port named by either rule.
func (x *PodIndex) meetNamedHolders(subject PodSet, a, b *ResolvedRule) (RuleMeeting, bool) {
	holders := x.portHolders(a, b)
	if a.rule.Direction == model.Ingress {
		holders = holders.And(subject)
	}
	for i := range holders.Each() {
		for f := range x.family {
			if !x.family[f].Has(i) {
				continue
			}
			self := x.newSet()
			self.add(i)
			proto, port, ok := a.ports.resolvedOn(x.pods[i], a.rule.Direction == model.Ingress || a.reach.Pods.Has(i)).
				commonPort(b.ports.resolvedOn(x.pods[i], b.rule.Direction == model.Ingress || b.reach.Pods.Has(i)))
			if !ok {
				continue
			}
			from, to := subject.And(x.family[f]), self.And(a.reach.byFamily[f]).And(b.reach.byFamily[f])
			if a.rule.Direction == model.Ingress {
				from, to = self, a.reach.byFamily[f].And(b.reach.byFamily[f])
			}
			if m, ok := x.pickPair(from, to); ok {
				m.Protocol, m.Port = proto, port
				return m, true
			}
		}
	}
	return RuleMeeting{}, false
}

func networkText(n netip.Prefix) string {
	if n.IsSingleIP() {
		return n.Addr().String()
	}
	return n.String()
}
