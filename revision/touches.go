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

// RuleTouch is one rule that concerns a pod, as subject or as peer.
type RuleTouch struct {
	Policy    model.PolicyKey
	Direction model.Direction
	Rule      int
	// AsSubject says the pod is a subject of the policy; AsPeer that its
	// address is behind a peer of the rule. Network is the first network peer
	// it is in, empty where a selector found it.
	AsSubject, AsPeer bool
	Network           string
}

// RulesTouchingPod lists every rule that touches a pod, in precedence order: the policies
// as the ladder orders them, ingress before egress, by index. Policies that have
// no rows now are among them: where old rows of theirs still decide, a pod they
// touch must not look untouched. None tells them. A rule of a NetworkPolicy that
// names no peer means everybody, and touches only its subjects.
//
// The pod is held against the selectors, so that the cost grows with the rules and not
// with the pods.
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

// PoliciesAsTheyDecide are all policies in the order in which they decide.
func PoliciesAsTheyDecide(r *Revision) (out []*model.Policy) {
	if order := r.PolicyOrder(); order != nil {
		for _, place := range order {
			out = append(out, place.Policy)
		}
		return out
	}
	for _, k := range ladder.PolicyOrder(r.Cluster) {
		out = append(out, r.Cluster.Policy(k))
	}
	return out
}

// IsolatingPolicies are the NetworkPolicies that isolate a pod in a direction: what none
// of its namespace's allows there is dropped by the default deny of the namespace
// (ovn-kubernetes.md#default-deny). They are ordered by name. Where the isolation annotation
// of 2016 counts, it is among them.
func IsolatingPolicies(r *Revision, pod *model.Pod, dir model.Direction) (out []model.PolicyKey) {
	if pod == nil || !pod.CanBeSubject() {
		return nil
	}
	for p := range r.Cluster.Policies(model.KindNP) {
		if p.Namespace == pod.Namespace && isolatesDirection(r, p, dir) && r.WhyNoRows(p.Key) == nil && p.Subject.Pods.Matches(pod.Labels) {
			out = append(out, p.Key)
		}
	}
	if dir == model.Ingress && r.Flags.LegacyIsolation && model.IsIsolated(r.Cluster, pod.Namespace) {
		out = append(out, model.Key{Kind: model.KindIsolation2016, Namespace: pod.Namespace, Name: string(dir)})
	}
	slices.SortFunc(out, model.Key.Compare)
	return out
}

// IsolatedDirections are the directions in which a NetworkPolicy isolates its pods by itself, for
// people; empty for none.
func IsolatedDirections(r *Revision, p *model.Policy) []string {
	if r.Flags.LegacyIsolation && model.IsNetpol2016(p) {
		return nil
	}
	return p.IsolatedDirections()
}

// LegacyIsolationText says what isolates the pods of a NetworkPolicy of 2016 where the annotation
// counts, empty for others.
func LegacyIsolationText(r *Revision, p *model.Policy) string {
	switch {
	case !r.Flags.LegacyIsolation || !model.IsNetpol2016(p):
		return ""
	case model.IsIsolated(r.Cluster, p.Namespace):
		return "nothing by itself: the annotation of namespace " + p.Namespace + " isolates all of its pods"
	}
	return "nothing, and its rules decide nothing: the annotation of namespace " + p.Namespace + " does not isolate it"
}

func isolatesDirection(r *Revision, p *model.Policy, dir model.Direction) bool {
	return model.IsolatesPods(p, dir, r.Flags.LegacyIsolation)
}

// OutsideTypes says whether a NetworkPolicy's policyTypes leave a direction out.
// Rules there are compiled all the same (ovn-kubernetes.md#rule-rows): they allow, but
// the policy isolates nobody.
func OutsideTypes(p *model.Policy, dir model.Direction) bool {
	return p.Kind == model.KindNP && !p.HasType(dir)
}

// DefaultDeny is the unit that holds the default deny of a namespace's
// NetworkPolicies in a direction.
func DefaultDeny(namespace string, dir model.Direction) model.PolicyKey {
	return model.PolicyKey{Kind: model.KindNetpolNamespace, Namespace: namespace, Name: string(dir)}
}

// podMatcher holds one pod against many selectors.
type podMatcher struct {
	r       *Revision
	pod     *model.Pod
	ns      *model.Namespace // nil: no selector of namespaces matches
	addrs   []netip.Addr     // of families that are compiled for
	subnets []netip.Prefix   // of the cluster's pods
	// groups are the groups of policies that stand in an order of their own; nil where policies stand on the ladder.
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

// isSubject says whether a rule applies to the pod, as far as labels say.
func (m *podMatcher) isSubject(p *model.Policy, rule *model.Rule) bool {
	if p.Tiered != nil && m.groups != nil {
		s := m.groups.ScopeOfRule(p, rule)
		return s.Matches(m.ns, m.pod)
	}
	return m.isSelected(p.Subject.Namespace, p.Subject.Namespaces, p.Subject.Pods)
}

// isBehindPeer says whether an address of the pod is behind a peer of the rule, and by which network.
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
		return false, "" // the address is the node's
	}
	for i := range rule.Peers {
		pe := &rule.Peers[i]
		networks := pe.Networks
		if pe.Kind == model.PeerGroup && m.groups != nil {
			networks = m.groups.MembersOf(antrea.GroupKey(p, pe.Group)).Networks
		}
		for _, n := range networks {
			if a, ok := m.addressInside(n); ok && !m.isExcepted(pe.Except, a) && (p.Kind != model.KindEF || !m.isClusterAddress(n, a)) {
				return true, n
			}
		}
	}
	return false, ""
}

// isSelectedBy says whether a peer selects the pod by its labels or account. Whoever is on the host's
// network is behind no selector of the ladder but those of a NetworkPolicy that name pods
// (ovn-kubernetes.md#pod-selector-sets).
func (m *podMatcher) isSelectedBy(p *model.Policy, rule *model.Rule, pe *model.Peer) bool {
	switch {
	case m.groups != nil && pe.Kind == model.PeerGroup:
		group := m.groups.MembersOf(antrea.GroupKey(p, pe.Group))
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

// addressInside finds an address of the pod in a network, whatever its host bits are.
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

// isClusterAddress says whether an EgressFirewall's network leaves the address out, because
// it is of the cluster's own subnets (ovn-kubernetes.md#firewall-match).
func (m *podMatcher) isClusterAddress(network string, a netip.Addr) bool {
	n, ok := selectors.ParseNetwork(strings.TrimSpace(network))
	return ok && slices.ContainsFunc(m.subnets, func(s netip.Prefix) bool { return s.Overlaps(n) && s.Contains(a) })
}

// isPeerOfSubject says whether the pods of the pod's namespace are peers of some pod that the rule
// applies to, by its namespace.
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
