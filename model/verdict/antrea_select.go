package verdict

import (
	"net/netip"
	"slices"
	"strings"

	"rung/model"
	"rung/model/antrea"
	"rung/model/ovn/match"
	"rung/model/selectors"
)

// appliedCondition makes the condition that a pod at the packet's port is selected by appliedTo and is in a
// namespace with the labels.
func (a *antreaMaker) appliedCondition(p *model.Policy, r *model.Rule, scope *antrea.AppliedScope, labels []string) int32 {
	key := "port antrea " + strings.Join(labels, " ")
	for i := range scope.Pods {
		key += "\x01" + selectionKey(&scope.Pods[i])
	}
	return a.conditionID(key, func(c *Condition) {
		c.Port, c.Set = true, a.x.endsOfPods(scope.PodSet(a.x.Pods), nil)
		a.x.dropEnds(c.Set, func(pod *model.Pod) bool {
			return len(labels) > 0 && !indexHasLabels(a.x.view.Cluster.Namespace(pod.Namespace), labels)
		})
	})
}

// dropEnds removes ends from a set.
func (x *Index) dropEnds(s Set, out func(*model.Pod) bool) {
	s.Each(func(e int32) {
		if out(x.Pods.PodAt(int(x.Ends[e].Pod))) {
			s[e>>6] &^= 1 << (e & 63)
		}
	})
}

func indexHasLabels(ns *model.Namespace, labels []string) bool {
	return ns != nil && !slices.ContainsFunc(labels, func(l string) bool { _, has := ns.Labels.Map()[l]; return !has })
}

func selectionKey(s *antrea.PodSelection) string {
	key := s.Namespace + "\x00" + selectors.SelectorKey(s.Namespaces) + "\x00" + selectors.SelectorKey(s.Pods)
	if s.Account != nil {
		key += "\x00" + s.Account.Namespace + "/" + s.Account.Name
	}
	return key
}

// peersCondition makes the condition that an address is one of a rule's peers.
func (a *antreaMaker) peersCondition(p *model.Policy, r *model.Rule) int32 {
	key := "antrea"
	for i := range r.Peers {
		key += "\x01" + peerKey(&r.Peers[i])
		if r.Peers[i].Group != "" {
			key += a.groupContent(antrea.GroupKey(p, r.Peers[i].Group))
		}
	}
	return a.addressCondition(key, func(c conditionAddrs) {
		for i := range r.Peers {
			a.addAntreaPeer(c, p, &r.Peers[i])
		}
	})
}

// groupContent returns a key of a group's members, since conditions outlive a change of the group.
func (a *antreaMaker) groupContent(k model.Key) (text string) {
	m := a.groups.FindMembers(k)
	for i := range m.Pods {
		text += "\x02" + selectionKey(&m.Pods[i])
	}
	return text + "\x03" + strings.Join(m.Networks, " ")
}

func (a *antreaMaker) addAntreaPeer(c conditionAddrs, p *model.Policy, peer *model.Peer) {
	x := a.x
	switch peer.Kind {
	case model.PeerNamespaces, model.PeerPods:
		c.addPods("antrea "+peerKey(peer), func() Set { return x.endsOfPods(x.Pods.PeerSet(peer), nil) })
	case model.PeerServiceAccount:
		s := antrea.PodSelection{Account: peer.ServiceAccount}
		c.c.Set.Or(x.endsOfPods(s.PodSet(x.Pods), nil))
	case model.PeerGroup:
		m := a.groups.FindMembers(antrea.GroupKey(p, peer.Group))
		for i := range m.Pods {
			c.c.Set.Or(x.endsOfPods(m.Pods[i].PodSet(x.Pods), nil))
		}
		c.addNetworks(m.Networks, nil)
	case model.PeerNodes:
		c.addNodes(peer.Nodes, antreaAddrs, nil)
	case model.PeerNetworks:
		c.addNetworks(peer.Networks, peer.Except)
	}
}

func (a conditionAddrs) addNetworks(cidrs, except []string) {
	for _, cidr := range cidrs {
		n, ok := match.ParseCIDR(cidr)
		if !ok {
			continue
		}
		b := exceptedBlock{Network: n.Masked()}
		for _, e := range except {
			if n, ok := match.ParseCIDR(e); ok {
				b.Except = append(b.Except, n.Masked())
			}
		}
		a.addBlock(b)
	}
}

// antreaAddrs returns the addresses that a nodeSelector matches: the Node object's, and Antrea's gateway
// (antrea.md#nodes).
func antreaAddrs(n *model.Node) []string { return slices.Concat(n.InternalIPs, antreaGateway(n)) }

// antreaGateway returns the addresses from which a node reaches pods: the first address of each pod network.
func antreaGateway(n *model.Node) []string {
	return model.MapList(model.ParsePrefixes(n.PodCIDRs), func(p netip.Prefix) string { return p.Masked().Addr().Next().String() })
}

// nodePolicy is a policy that applies to nodes.
type nodePolicy struct {
	key   model.Key
	nodes model.Selector
}

// PoliciesOfNode returns the labels of the policies that apply to a node, joined by commas.
func (x *Index) PoliciesOfNode(name string) string {
	n := x.view.Cluster.Node(name)
	if n == nil {
		return ""
	}
	var names []string
	for _, p := range x.onNodes {
		if p.nodes.Matches(n.Labels) {
			names = model.AppendNew(names, p.key.Label())
		}
	}
	return strings.Join(names, ", ")
}

// nodeRule makes the term of a Drop that applies to nodes. The term only may match, since such a policy's
// effect between nodes and pods is not judged (antrea.md#nodes). It comes before all rules of the pod.
func (a *antreaMaker) nodeRule(p *model.Policy, r *model.Rule, ref Rule, nodes model.Selector) {
	ref.Maybe = p.Key.Label() + " applies to nodes"
	t := Term{Tier: model.TierIsolation, Priority: byOthers, Effect: Drops, Maybe: true}
	of := a.addressCondition("node "+selectors.SelectorKey(nodes), func(c conditionAddrs) { c.addNodes(nodes, antreaAddrs, nil) })
	peers := a.noCondition()
	if !r.AnyPeer && !slices.ContainsFunc(r.Peers, func(q model.Peer) bool { return q.Kind == model.PeerDNS }) {
		known := *r // a node is in no namespace
		known.Peers = slices.DeleteFunc(slices.Clone(r.Peers), func(q model.Peer) bool { return q.Match != nil })
		peers = a.peersCondition(p, &known)
	}
	// Seen from the pod, a node's egress is the pod's ingress.
	t.Rule = a.addRule(ref)
	if r.Direction == model.Egress {
		t.From, t.To, t.Switch = of, peers, AtDestination
		a.addTerm(IngressTerms, t)
		return
	}
	t.From, t.To, t.Switch = peers, of, AtSource
	a.addTerm(EgressTerms, t)
}

// nodePortRule makes the term of a Drop that applies to NodePort Services (antrea.md#nodeport).
func (a *antreaMaker) nodePortRule(r *model.Rule, ref Rule, services []model.Key) {
	a.x.aboutServices = append(a.x.aboutServices, services)
	ref.Maybe = ref.Key.Label() + " applies to clients of the Service's NodePort: unknown whether this connection uses it"
	t := Term{Tier: model.TierIsolation, Priority: byOthers, Effect: Drops, Maybe: true, Switch: AtDestination, To: a.noCondition(),
		Services: int32(len(a.x.aboutServices)), Rule: a.addRule(ref)}
	t.From = a.noCondition()
	if !r.AnyPeer {
		t.From = a.peersCondition(ref.Policy, r)
	}
	a.addTerm(IngressTerms, t)
}
