package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/antrea"
)

func (a *antreaMaker) addNative(p *model.Policy) {
	required := antrea.RequiredLabels(p)
	for r := range p.AllRules() {
		tier, priority := a.order.tierAndPriority(p, r.Index)
		act := actionEffect(r.Action)
		t := Term{Tier: tier, Priority: priority, Effect: act, Multicast: act == Passes || r.Tiered.Action == actionReject}
		ref := Rule{Policy: p, Key: p.Key, Direction: r.Direction, Index: r.Index, Action: r.Action}
		scope := a.groups.ScopeOfRule(p, r)
		if len(scope.Pods) > 0 {
			a.addScoped(p, r, ref, t, a.appliedCondition(p, r, &scope, required))
		}
		if r.Action != model.Deny {
			continue
		}
		for i := range scope.Nodes {
			a.nodeRule(p, r, ref, scope.Nodes[i])
		}
		if len(scope.Services) > 0 && r.Direction == model.Ingress {
			a.nodePortRule(r, ref, scope.Services)
		}
	}
	for _, s := range a.groups.ScopeOfPolicy(p).Nodes {
		a.x.onNodes = append(a.x.onNodes, nodePolicy{p.Key, s})
	}
}

// actionReject is Antrea's word for a Deny that answers the client.
const actionReject = "Reject"

// addScoped makes the terms of a rule and its subject. Peers that depend on the namespace of the subject's pod
// get one term for each group of namespaces.
func (a *antreaMaker) addScoped(p *model.Policy, r *model.Rule, ref Rule, t Term, subject int32) {
	if len(r.Tiered.ToServices) > 0 {
		a.x.aboutServices = append(a.x.aboutServices, r.Tiered.ToServices)
		t.Services = int32(len(a.x.aboutServices))
		t.From, t.To, t.Switch, t.Rule = subject, a.noCondition(), AtSource, a.addRule(ref)
		a.addTerm(EgressTerms, t)
		return
	}
	plain := *r
	plain.Peers = nil
	for i := range r.Peers {
		if m := r.Peers[i].Match; m == nil {
			plain.Peers = append(plain.Peers, r.Peers[i])
		} else {
			a.addSeenFromNamespace(p, r, ref, t, subject, &r.Peers[i])
		}
	}
	if r.AnyPeer || len(plain.Peers) > 0 {
		a.addRuleTerms(p, &plain, ref, t, subject)
	}
}

// addSeenFromNamespace makes the terms of a peer with Self or sameLabels.
func (a *antreaMaker) addSeenFromNamespace(p *model.Policy, r *model.Rule, ref Rule, t Term, subject int32, peer *model.Peer) {
	x := a.x
	var order []string
	groups := map[string][]string{} // namespaces by what they must have in common
	last := ""
	x.Conditions[subject].Set.Each(func(e int32) {
		ns := x.Pods.PodAt(int(x.Ends[e].Pod)).Namespace
		if ns == last {
			return
		}
		last = ns
		if group, ok := x.namespaceGroup(ns, peer.Match); ok && groups[group] == nil {
			order, groups[group] = append(order, group), x.namespacesAlike(group, ns, peer.Match)
		}
	})
	for _, group := range order {
		in := NewSet(len(x.Ends))
		for _, ns := range groups[group] {
			in.Or(x.endsOfPods(x.Pods.PodsMatchingIn(ns, model.SelectEverything()), nil))
		}
		key := " in " + strings.Join(groups[group], " ")
		from := a.conditionWithin(subject, key, in)
		peers := a.addressCondition("antrea "+podKey(peer.Pods, false)+key, func(c conditionAddrs) {
			for _, ns := range groups[group] {
				c.c.Set.Or(x.endsOfPods(x.Pods.PodsMatchingIn(ns, peer.Pods), nil))
			}
		})
		a.addPortTerms(p, r, ref, t, from, peers, key)
	}
}

// namespaceGroup returns the group of a namespace: itself for Self, else its values of sameLabels. ok is false if it
// lacks a label.
func (x *Index) namespaceGroup(namespace string, m *model.NamespaceMatch) (group string, ok bool) {
	if m.Self {
		return namespace, true
	}
	ns := x.view.Cluster.Namespace(namespace)
	if ns == nil {
		return "", false
	}
	values, ok := antrea.LabelValues(ns, m.SameLabels)
	return strings.Join(values, "\x00"), ok
}

// namespacesAlike returns the namespaces of a group.
func (x *Index) namespacesAlike(group, self string, m *model.NamespaceMatch) (out []string) {
	if m.Self {
		return []string{self}
	}
	for ns := range x.view.Cluster.Namespaces() {
		if g, ok := x.namespaceGroup(ns.Name, m); ok && g == group {
			out = append(out, ns.Name)
		}
	}
	return out
}

// addRuleTerms makes the terms of a rule whose peers are the same for its whole subject.
func (a *antreaMaker) addRuleTerms(p *model.Policy, r *model.Rule, ref Rule, t Term, subject int32) {
	var names []string
	known := *r
	known.Peers = nil
	for i := range r.Peers {
		if r.Peers[i].Kind == model.PeerDNS {
			names = append(names, r.Peers[i].DNSName)
		} else {
			known.Peers = append(known.Peers, r.Peers[i])
		}
	}
	if r.AnyPeer {
		a.addPortTerms(p, r, ref, t, subject, a.noCondition(), "")
		return
	}
	if len(known.Peers) > 0 {
		a.addPortTerms(p, r, ref, t, subject, a.peersCondition(p, &known), "")
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		addrs, known := antrea.ServiceAddrs(a.x.view.Cluster, name)
		if len(addrs) > 0 {
			t, ref := t, ref
			t.Maybe, ref.Maybe = true, "fqdn "+name+": unknown whether the pod resolved the headless Service"
			a.addPortTerms(p, r, ref, t, subject, a.addressCondition("fqdn "+strings.Join(addrs, " "), func(c conditionAddrs) {
				for _, ip := range addrs {
					c.addSingle(ip, nil)
				}
			}), name)
		}
		return known
	})
	if len(names) > 0 {
		ref.Maybe = "fqdn " + strings.Join(names, ", ") + ": its addresses depend on DNS"
		t.Maybe = true
		a.addPortTerms(p, r, ref, t, subject, a.noCondition(), "")
	}
}

// addPortTerms makes the terms of a subject and a set of peers: ports, ICMP and layer 7. key names the set.
func (a *antreaMaker) addPortTerms(p *model.Policy, r *model.Rule, ref Rule, t Term, subject, peers int32, key string) {
	stage := t.setEnds(r.Direction, subject, peers)
	var protocols []model.RuleProtocol
	if r.Tiered != nil {
		protocols = r.Tiered.Protocols
	}
	if len(r.Ports)+len(protocols) == 0 {
		a.addRuleTerm(stage, r, ref, t)
		return
	}
	if ports := numberedPorts(r); len(ports) > 0 {
		t := t
		t.Ports = ports
		a.addRuleTerm(stage, r, ref, t)
	}
	a.namedPorts(r, ref, t, stage, p.Key.String()+key)
	t.Ports = PortSet{fullPortRange(int8(ICMP.Number()))}
	for _, q := range protocols {
		t, ref := t, ref
		switch {
		case q.Protocol != string(ICMP):
			continue // a connection is never IGMP
		case q.Type != nil || q.Code != nil:
			t.Maybe, ref.Maybe = true, icmpText(q)+": the ICMP type is unknown"
		}
		a.addRuleTerm(stage, r, ref, t)
	}
}

func icmpText(q model.RuleProtocol) string {
	out := "icmp"
	if q.Type != nil {
		out += " type " + strconv.Itoa(int(*q.Type))
	}
	if q.Code != nil {
		out += " code " + strconv.Itoa(int(*q.Code))
	}
	return out
}

// addRuleTerm adds a term. If the rule has layer 7 protocols, matching TCP connections may be allowed or
// denied, and no later rule is asked (antrea.md#layer-7). Other protocols are dropped.
func (a *antreaMaker) addRuleTerm(stage int, r *model.Rule, ref Rule, t Term) {
	if r.Tiered == nil || len(r.Tiered.L7) == 0 {
		t.Rule = a.addRule(ref)
		a.addTerm(stage, t)
		return
	}
	tcp, others := splitTCPPorts(t.Ports)
	if len(tcp) > 0 {
		t, ref := t, ref
		ref.Maybe = "l7 " + strings.Join(r.Tiered.L7, ", ") + ": the content of the request decides"
		t.Ports, t.Rule = tcp, a.addRule(ref)
		t.Effect = Allows | Drops
		if t.Maybe { // whether it matches is not known either
			t.Effect = Drops
			a.addTerm(stage, t)
			t.Effect = Allows
		}
		t.Maybe = true
		a.addTerm(stage, t)
	}
	if len(others) > 0 {
		ref.Action = model.Deny
		t.Ports, t.Effect, t.Rule = others, Drops, a.addRule(ref)
		a.addTerm(stage, t)
	}
}

// splitTCPPorts splits ports into TCP's and the rest.
func splitTCPPorts(p PortSet) (tcp, others PortSet) {
	if p == nil {
		for i := range Protocols {
			p = append(p, fullPortRange(int8(i)))
		}
	}
	for _, r := range p {
		if Protocols[r.proto] == TCP {
			tcp = append(tcp, r)
		} else {
			others = append(others, r)
		}
	}
	return tcp, others
}

// portProtocol returns the index of a port's protocol, TCP by default.
func portProtocol(p *model.Port) int8 { return protocolIndex(cmp.Or(p.Protocol, string(TCP))) }

// numberedPorts returns the numeric ports of a rule.
func numberedPorts(r *model.Rule) (out PortSet) {
	for i := range r.Ports {
		switch p, proto := &r.Ports[i], portProtocol(&r.Ports[i]); {
		case p.Name != "" || proto < 0 || p.IsReversed():
		case p.Start == 0:
			out = append(out, fullPortRange(proto))
		default:
			out = append(out, newPortRange(proto, p))
		}
	}
	return out
}

// namedPorts makes the terms of a rule's named ports, resolved on the destination pods.
func (a *antreaMaker) namedPorts(r *model.Rule, ref Rule, t Term, stage int, key string) {
	x := a.x
	by := map[declaredPort]Set{}
	named := false
	for i := range r.Ports {
		want := &r.Ports[i]
		if want.Name == "" {
			continue
		}
		named = true
		x.Conditions[t.To].Set.Each(func(e int32) {
			for _, c := range x.Pods.PodAt(int(x.Ends[e].Pod)).Ports {
				proto := protocolIndex(c.Protocol)
				if c.Name != want.Name || proto < 0 || want.Protocol != "" && protocolIndex(want.Protocol) != proto {
					continue
				}
				d := declaredPort{proto, uint16(c.Port)}
				if by[d] == nil {
					by[d] = NewSet(len(x.Ends))
				}
				by[d].Add(e)
			}
		})
	}
	if named && len(numberedPorts(r)) == 0 {
		t := t
		t.Ports = PortSet{} // matches nothing, and shows that the rule was tried
		a.addRuleTerm(stage, r, ref, t)
	}
	for _, d := range sortedPorts(by) {
		t := t
		t.Ports = d.portSet()
		t.To = a.conditionWithin(t.To, fmt.Sprintf(" named %s %s %d %s", key, r.Direction, r.Index, d.key()), by[d])
		a.addRuleTerm(stage, r, ref, t)
	}
}

// conditionWithin returns a condition that holds for some pods of another condition, and for no other address.
func (a *antreaMaker) conditionWithin(of int32, key string, some Set) int32 {
	k := a.x.Conditions[of]
	return a.conditionID(fmt.Sprint("of ", of, key), func(c *Condition) {
		c.Port, c.Set = k.Port, slices.Clone(k.Set)
		for i := range c.Set {
			c.Set[i] &= some[i]
		}
	})
}
