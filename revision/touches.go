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
// The pod is held against the selectors, each distinct one once, so that the
// cost grows with the rules and not with the pods.
func RulesTouchingPod(r *Revision, pod *model.Pod) []RuleTouch {
	if pod == nil || pod.IsCompleted() || pod.NodeName == "" {
		return nil
	}
	if order := r.PolicyOrder(); order != nil {
		return placedTouches(r, order, pod)
	}
	m := newPodMatcher(r, pod)
	eligible := pod.CanBeSubject()
	var out []RuleTouch
	for _, k := range ladder.PolicyOrder(r.Cluster) {
		p := r.Cluster.Policy(k)
		if !eligible && k.Kind != model.KindNP {
			continue
		}
		subject := eligible && m.isSelected(p.Subject.Namespace, p.Subject.Namespaces, p.Subject.Pods)
		for _, dir := range []model.Direction{model.Ingress, model.Egress} {
			rules := p.Rules(dir)
			for i := range rules {
				t := RuleTouch{Policy: p.Key, Direction: dir, Rule: i, AsSubject: subject}
				t.AsPeer, t.Network = m.isBehindPeer(k.Kind, &rules[i])
				if t.AsSubject || t.AsPeer {
					out = append(out, t)
				}
			}
		}
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
	if r.Flags.LegacyIsolation {
		return model.IsolatesByItself(p, dir)
	}
	return p.IsolatesDirection(dir)
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
	pod      *model.Pod
	ns       *model.Namespace // nil: no selector of namespaces matches
	addrs    []netip.Addr     // of families that are compiled for
	ofNS     map[string]bool  // by selector key
	ofLabels map[string]bool
	subnets  []netip.Prefix // of the cluster's pods
}

func newPodMatcher(r *Revision, pod *model.Pod) *podMatcher {
	m := &podMatcher{pod: pod, ns: r.Cluster.Namespace(pod.Namespace), ofNS: map[string]bool{}, ofLabels: map[string]bool{},
		subnets: r.Desired.Options().ClusterSubnets}
	v4, v6 := r.Desired.Families()
	for _, ip := range pod.IPs {
		if a, err := netip.ParseAddr(ip); err == nil && (a.Is4() && v4 || a.Is6() && v6) {
			m.addrs = append(m.addrs, a)
		}
	}
	return m
}

func matchesRemembered(memo map[string]bool, s model.Selector, l model.Labels) bool {
	if s.IsNil() {
		return false
	}
	yes, known := memo[s.Key()]
	if !known {
		yes = s.Matches(l)
		memo[s.Key()] = yes
	}
	return yes
}

func (m *podMatcher) isSelected(namespace string, ns, pods model.Selector) bool {
	return m.ns != nil && (namespace == "" || namespace == m.pod.Namespace) &&
		matchesRemembered(m.ofNS, ns, m.ns.Labels) && matchesRemembered(m.ofLabels, pods, m.pod.Labels)
}

// isBehindPeer says whether an address of the pod is behind a peer of the rule. Whoever
// is on the host's network is behind no selector but those of a NetworkPolicy that
// name pods (ovn-kubernetes.md#pod-selector-sets).
func (m *podMatcher) isBehindPeer(kind model.Kind, r *model.Rule) (yes bool, network string) {
	if len(m.addrs) == 0 {
		return false, ""
	}
	for i := range r.Peers {
		p := &r.Peers[i]
		if p.Kind != model.PeerPods && p.Kind != model.PeerNamespaces || m.pod.HostNetwork && p.Kind != model.PeerPods {
			continue
		}
		if m.isSelected(p.Namespace, p.Namespaces, p.Pods) {
			return true, ""
		}
	}
	if m.pod.HostNetwork {
		return false, "" // the address is the node's
	}
	for i := range r.Peers {
		p := &r.Peers[i]
		for _, n := range p.Networks {
			if a, ok := m.addressInside(n); ok && !m.isExcepted(p.Except, a) && (kind != model.KindEF || !m.isClusterAddress(n, a)) {
				return true, n
			}
		}
	}
	return false, ""
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

// placedTouches are the rules that touch a pod, where policies have no rows.
func placedTouches(r *Revision, order []ladder.Place, pod *model.Pod) (out []RuleTouch) {
	ns, groups := r.Cluster.Namespace(pod.Namespace), antrea.ResolveGroups(r.Cluster)
	m := newPodMatcher(r, pod)
	for _, place := range order {
		p := place.Policy
		subject := p.Tiered == nil && m.isSelected(p.Subject.Namespace, p.Subject.Namespaces, p.Subject.Pods)
		for rule := range p.AllRules() {
			t := RuleTouch{Policy: p.Key, Direction: rule.Direction, Rule: rule.Index, AsSubject: subject}
			if p.Tiered != nil {
				s := groups.ScopeOfRule(p, rule)
				t.AsSubject = s.Matches(ns, pod)
			}
			t.AsSubject = t.AsSubject && pod.CanBeSubject()
			t.AsPeer, t.Network = isPeer(r, groups, ns, pod, p, rule)
			if t.AsSubject || t.AsPeer {
				out = append(out, t)
			}
		}
	}
	return out
}

// isPeer says whether a pod is behind a peer of a rule, and by which network.
func isPeer(r *Revision, groups *antrea.GroupResolver, ns *model.Namespace, pod *model.Pod, p *model.Policy, rule *model.Rule) (bool, string) {
	for i := range rule.Peers {
		pe := &rule.Peers[i]
		networks := pe.Networks
		switch {
		case pe.Kind == model.PeerGroup:
			m := groups.MembersOf(antrea.GroupKey(p, pe.Group))
			if slices.ContainsFunc(m.Pods, func(s antrea.PodSelection) bool { return s.Matches(ns, pod) }) {
				return true, ""
			}
			networks = m.Networks
		case pe.Kind == model.PeerServiceAccount:
			if s := (antrea.PodSelection{Account: pe.ServiceAccount}); s.Matches(ns, pod) {
				return true, ""
			}
		case pe.Match != nil:
			if pe.Pods.Matches(pod.Labels) && isPeerOfSubject(r, groups, ns, p, rule, pe.Match) {
				return true, ""
			}
		case pe.Kind == model.PeerPods || pe.Kind == model.PeerNamespaces:
			pods := pe.Pods
			if pe.Kind == model.PeerNamespaces {
				pods = model.SelectEverything()
			}
			if s := (antrea.PodSelection{Namespace: pe.Namespace, Namespaces: pe.Namespaces, Pods: pods}); s.Matches(ns, pod) {
				return true, ""
			}
		}
		for _, n := range networks {
			if cidr, err := netip.ParsePrefix(n); err == nil && slices.ContainsFunc(pod.IPs, func(ip string) bool {
				a, err := netip.ParseAddr(ip)
				return err == nil && cidr.Contains(a)
			}) {
				return true, n
			}
		}
	}
	return false, ""
}

// isPeerOfSubject says whether the pods of a namespace are peers of some pod that the rule
// applies to, by its namespace.
func isPeerOfSubject(r *Revision, groups *antrea.GroupResolver, ns *model.Namespace, p *model.Policy, rule *model.Rule, match *model.NamespaceMatch) bool {
	if ns == nil {
		return false
	}
	s := groups.ScopeOfRule(p, rule)
	own, all := antrea.LabelValues(ns, match.SameLabels)
	for pod := range r.Cluster.Pods() {
		if match.Self && pod.Namespace != ns.Name || !match.Self && !all {
			continue
		}
		other := r.Cluster.Namespace(pod.Namespace)
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
