package engine

import (
	"net/netip"
	"strings"

	"rung/model"
)

// Touch is one rule that concerns a pod, as subject or as peer.
type Touch struct {
	Policy    model.PolicyKey
	Direction model.Direction
	Rule      int
	// AsSubject says the pod is a subject of the policy; AsPeer that its
	// address is behind a peer of the rule. Network is the first network peer
	// it is in, empty where a selector found it.
	AsSubject, AsPeer bool
	Network           string
}

// Touches lists every rule that touches a pod, in precedence order: the policies
// as the ladder orders them, ingress before egress, by index. Policies that have
// no rows now are among them: where old rows of theirs still decide, a pod they
// touch must not look untouched. None tells them.
//
// The pod is held against the selectors, each distinct one once, so that the
// cost grows with the rules and not with the pods.
func (r *Revision) Touches(pod *model.Pod) []Touch {
	if pod == nil || !pod.SubjectEligible() {
		return nil
	}
	m := newMatcher(r, pod)
	var out []Touch
	for _, p := range r.adminPolicies() {
		subject := m.selected(p.Subject.Namespace, p.Subject.Namespaces, p.Subject.Pods)
		for _, dir := range []model.Direction{model.Ingress, model.Egress} {
			rules := p.Rules(dir)
			for i := range rules {
				t := Touch{Policy: p.Key, Direction: dir, Rule: i, AsSubject: subject}
				t.AsPeer, t.Network = m.peer(&rules[i])
				if t.AsSubject || t.AsPeer {
					out = append(out, t)
				}
			}
		}
	}
	return out
}

// matcher holds one pod against many selectors.
type matcher struct {
	pod      *model.Pod
	ns       *model.Namespace // nil: no selector of namespaces matches
	addrs    []netip.Addr     // of families that are compiled for
	ofNS     map[string]bool  // by selector key
	ofLabels map[string]bool
}

func newMatcher(r *Revision, pod *model.Pod) *matcher {
	m := &matcher{pod: pod, ns: r.Cluster.Namespace(pod.Namespace), ofNS: map[string]bool{}, ofLabels: map[string]bool{}}
	v4, v6 := r.desired.Families()
	for _, ip := range pod.IPs {
		if a, err := netip.ParseAddr(ip); err == nil && (a.Is4() && v4 || a.Is6() && v6) {
			m.addrs = append(m.addrs, a)
		}
	}
	return m
}

func remember(memo map[string]bool, s model.Selector, l model.Labels) bool {
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

func (m *matcher) selected(namespace string, ns, pods model.Selector) bool {
	return m.ns != nil && (namespace == "" || namespace == m.pod.Namespace) &&
		remember(m.ofNS, ns, m.ns.Labels) && remember(m.ofLabels, pods, m.pod.Labels)
}

// peer says whether an address of the pod is behind a peer of the rule.
func (m *matcher) peer(r *model.Rule) (yes bool, network string) {
	if len(m.addrs) == 0 {
		return false, ""
	}
	for i := range r.Peers {
		p := &r.Peers[i]
		if (p.Kind == model.PeerNamespaces || p.Kind == model.PeerPods) && m.selected(p.Namespace, p.Namespaces, p.Pods) {
			return true, ""
		}
	}
	for i := range r.Peers {
		for _, n := range r.Peers[i].Networks {
			if m.inside(n) {
				return true, n
			}
		}
	}
	return false, ""
}

func (m *matcher) inside(network string) bool {
	n, ok := model.ParseNetwork(strings.TrimSpace(network))
	if !ok {
		return false
	}
	for _, a := range m.addrs {
		if n.Contains(a) { // whatever its host bits are
			return true
		}
	}
	return false
}
