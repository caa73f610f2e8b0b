package revision

import (
	"net/netip"
	"slices"
	"strings"

	"rung/model"
	"rung/model/antrea"
	"rung/model/ladder"
	"rung/model/selectors"
)

// RuleTouch is a rule that has a pod as subject or peer.
type RuleTouch struct {
	Policy    model.PolicyKey
	Direction model.Direction
	Rule      int
	// AsSubject means that the pod is a subject of the policy, AsPeer that a peer of the rule has its address.
	// Network is the first network peer that contains it, empty if a selector does.
	AsSubject, AsPeer bool
	Network           string
}

// RulesTouchingPod returns every rule that touches a pod, in deciding order: by policy, ingress before egress,
// by index. It includes policies without rows now: their old rows may still decide. A NetworkPolicy rule
// without peers touches only its subjects.
//
// It matches the pod against the selectors, so the cost grows with the rules, not with the pods.
func RulesTouchingPod(r *Revision, pod *model.Pod) (out []RuleTouch) {
	if pod == nil || pod.IsCompleted() || pod.NodeName == "" {
		return nil
	}
	m := newPodMatcher(r, pod)
	eligible := pod.CanBeSubject()
	for _, p := range PoliciesAsTheyDecide(r) {
		if m.groups == nil && !eligible && p.Kind != model.KindNP {
			continue
		}
		for rule := range p.AllRules() {
			t := RuleTouch{Policy: p.Key, Direction: rule.Direction, Rule: rule.Index, AsSubject: eligible && m.isSubject(p, rule)}
			t.AsPeer, t.Network = m.isBehindPeer(p, rule)
			if t.AsSubject || t.AsPeer {
				out = append(out, t)
			}
		}
	}
	return out
}

// PoliciesAsTheyDecide returns all policies in deciding order.
func PoliciesAsTheyDecide(r *Revision) (out []*model.Policy) {
	if order := r.PolicyOrder(); order != nil {
		return model.MapList(order, func(place ladder.Place) *model.Policy { return place.Policy })
	}
	for _, k := range ladder.PolicyOrder(r.Cluster) {
		out = append(out, r.Cluster.Policy(k))
	}
	return out
}

// IsolatingPolicies returns the NetworkPolicies that isolate a pod in a direction, by name: the namespace's
// default deny drops what none of them allows (ovn-kubernetes.md#default-deny). It includes the isolation
// annotation of 2016 if that applies.
func IsolatingPolicies(r *Revision, pod *model.Pod, dir model.Direction) (out []model.PolicyKey) {
	if pod == nil || !pod.CanBeSubject() {
		return nil
	}
	for p := range r.Cluster.Policies(model.KindNP) {
		if p.Namespace == pod.Namespace && model.IsolatesPods(p, dir, r.Flags.LegacyIsolation) && r.WhyNoRows(p.Key) == nil &&
			p.Subject.Pods.Matches(pod.Labels) {
			out = append(out, p.Key)
		}
	}
	if dir == model.Ingress && r.Flags.LegacyIsolation && model.IsIsolated(r.Cluster, pod.Namespace) {
		out = append(out, model.Key{Kind: model.KindIsolation2016, Namespace: pod.Namespace, Name: string(dir)})
	}
	slices.SortFunc(out, model.Key.Compare)
	return out
}

// IsolatedDirections returns the directions in which a NetworkPolicy isolates its pods, for people.
func IsolatedDirections(r *Revision, p *model.Policy) []string {
	if r.Flags.LegacyIsolation && model.IsNetpol2016(p) {
		return nil
	}
	return p.IsolatedDirections()
}

// LegacyIsolationText explains the isolation of a NetworkPolicy of 2016 if the annotation applies, else empty.
func LegacyIsolationText(r *Revision, p *model.Policy) string {
	switch {
	case !r.Flags.LegacyIsolation || !model.IsNetpol2016(p):
		return ""
	case model.IsIsolated(r.Cluster, p.Namespace):
		return "nothing by itself: the annotation of namespace " + p.Namespace + " isolates all of its pods"
	}
	return "nothing, and its rules decide nothing: the annotation of namespace " + p.Namespace + " does not isolate it"
}

// OutsideTypes reports whether a NetworkPolicy's policyTypes leave a direction out. Its rules there are still
// compiled (ovn-kubernetes.md#rule-rows): they allow, but the policy isolates no pod.
func OutsideTypes(p *model.Policy, dir model.Direction) bool {
	return p.Kind == model.KindNP && !p.HasType(dir)
}

// DefaultDeny returns the unit with the default deny of a namespace in a direction.
func DefaultDeny(namespace string, dir model.Direction) model.PolicyKey {
	return model.PolicyKey{Kind: model.KindNetpolNamespace, Namespace: namespace, Name: string(dir)}
}

type podMatcher struct {
	r       *Revision
	pod     *model.Pod
	ns      *model.Namespace // nil if unknown: no namespace selector matches
	addrs   []netip.Addr     // of compiled families
	subnets []netip.Prefix   // of the cluster's pods
	// groups resolves groups in a system with its own order of policies; nil if policies are on the ladder.
	groups *antrea.GroupResolver
}

func newPodMatcher(r *Revision, pod *model.Pod) *podMatcher {
	m := &podMatcher{r: r, pod: pod, ns: r.Cluster.Namespace(pod.Namespace), subnets: r.Desired.Options().ClusterSubnets}
	if r.PolicyOrder() != nil {
		m.groups = antrea.ResolveGroups(r.Cluster)
	}
	v4, v6 := r.Desired.Families()
	for _, ip := range pod.IPs {
		if a, err := netip.ParseAddr(ip); err == nil && (m.groups != nil || a.Is4() && v4 || a.Is6() && v6) {
			m.addrs = append(m.addrs, a)
		}
	}
	return m
}

func (m *podMatcher) isSelected(namespace string, ns, pods model.Selector) bool {
	return m.ns != nil && (namespace == "" || namespace == m.pod.Namespace) && ns.Matches(m.ns.Labels) && pods.Matches(m.pod.Labels)
}

// isSubject reports whether a rule applies to the pod, by labels.
func (m *podMatcher) isSubject(p *model.Policy, rule *model.Rule) bool {
	if p.Tiered != nil && m.groups != nil {
		s := m.groups.ScopeOfRule(p, rule)
		return s.Matches(m.ns, m.pod)
	}
	return m.isSelected(p.Subject.Namespace, p.Subject.Namespaces, p.Subject.Pods)
}

// isBehindPeer reports whether a peer of the rule has an address of the pod, and by which network.
func (m *podMatcher) isBehindPeer(p *model.Policy, rule *model.Rule) (yes bool, network string) {
	if m.groups == nil && len(m.addrs) == 0 {
		return false, ""
	}
	for i := range rule.Peers {
		if m.isSelectedBy(p, rule, &rule.Peers[i]) {
			return true, ""
		}
	}
	if m.groups == nil && m.pod.HostNetwork {
		return false, "" // the address belongs to the node
	}
	for i := range rule.Peers {
		pe := &rule.Peers[i]
		networks := pe.Networks
		if pe.Kind == model.PeerGroup && m.groups != nil {
			networks = m.groups.FindMembers(antrea.GroupKey(p, pe.Group)).Networks
		}
		for _, n := range networks {
			if a, ok := m.addressInside(n); ok && !m.isExcepted(pe.Except, a) && (p.Kind != model.KindEF || !m.isClusterAddress(n, a)) {
				return true, n
			}
		}
	}
	return false, ""
}

// isSelectedBy reports whether a peer selects the pod by labels or account. A host-networked pod is selected
// only by NetworkPolicy peers that name pods (ovn-kubernetes.md#pod-selector-sets).
func (m *podMatcher) isSelectedBy(p *model.Policy, rule *model.Rule, pe *model.Peer) bool {
	switch {
	case m.groups != nil && pe.Kind == model.PeerGroup:
		group := m.groups.FindMembers(antrea.GroupKey(p, pe.Group))
		return slices.ContainsFunc(group.Pods, func(s antrea.PodSelection) bool { return s.Matches(m.ns, m.pod) })
	case m.groups != nil && pe.Kind == model.PeerServiceAccount:
		s := antrea.PodSelection{Account: pe.ServiceAccount}
		return s.Matches(m.ns, m.pod)
	case m.groups != nil && pe.Match != nil:
		return pe.Pods.Matches(m.pod.Labels) && m.isPeerOfSubject(p, rule, pe.Match)
	case pe.Kind != model.PeerPods && pe.Kind != model.PeerNamespaces:
		return false
	case m.groups == nil:
		return (pe.Kind == model.PeerPods || !m.pod.HostNetwork) && m.isSelected(pe.Namespace, pe.Namespaces, pe.Pods)
	}
	s := antrea.PodSelection{Namespace: pe.Namespace, Namespaces: pe.Namespaces, Pods: pe.Pods}
	if pe.Kind == model.PeerNamespaces {
		s.Pods = model.SelectEverything()
	}
	return s.Matches(m.ns, m.pod)
}

// addressInside returns an address of the pod in a network, whatever its host bits.
func (m *podMatcher) addressInside(network string) (netip.Addr, bool) {
	n, ok := selectors.ParseNetwork(strings.TrimSpace(network))
	if !ok {
		return netip.Addr{}, false
	}
	for _, a := range m.addrs {
		if n.Contains(a) {
			return a, true
		}
	}
	return netip.Addr{}, false
}

func (m *podMatcher) isExcepted(networks []string, a netip.Addr) bool {
	return slices.ContainsFunc(networks, func(s string) bool {
		n, ok := selectors.ParseNetwork(strings.TrimSpace(s))
		return ok && n.Contains(a)
	})
}

// isClusterAddress reports whether an EgressFirewall's network excludes the address as one of the cluster's
// own subnets (ovn-kubernetes.md#firewall-match).
func (m *podMatcher) isClusterAddress(network string, a netip.Addr) bool {
	n, ok := selectors.ParseNetwork(strings.TrimSpace(network))
	return ok && slices.ContainsFunc(m.subnets, func(s netip.Prefix) bool { return s.Overlaps(n) && s.Contains(a) })
}

// isPeerOfSubject reports whether the pod's namespace matches the namespace of any subject of the rule.
func (m *podMatcher) isPeerOfSubject(p *model.Policy, rule *model.Rule, match *model.NamespaceMatch) bool {
	if m.ns == nil {
		return false
	}
	s := m.groups.ScopeOfRule(p, rule)
	own, all := antrea.LabelValues(m.ns, match.SameLabels)
	for pod := range m.r.Cluster.Pods() {
		if match.Self && pod.Namespace != m.ns.Name || !match.Self && !all {
			continue
		}
		other := m.r.Cluster.Namespace(pod.Namespace)
		if other == nil || !s.Matches(other, pod) {
			continue
		}
		if match.Self {
			return true
		}
		if values, ok := antrea.LabelValues(other, match.SameLabels); ok && slices.Equal(values, own) {
			return true
		}
	}
	return false
}
