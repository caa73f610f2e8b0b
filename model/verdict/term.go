package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"rung/model"
	"rung/model/ladder"
	"rung/model/overlap"
	"rung/model/ovn/match"
	"rung/model/selectors"
)

// term is something that matches where both ends and the port do: a rule of a policy, or
// part of one, or what stands for rows that are no policy's.
type term struct {
	from, to int32 // conds
	priority int32
	rule     int32 // into Index.rules
	tier     int8
	does     does
	at       where
	maybe    bool
	// What multicast wants of the port by which the packet leaves, as its address is a
	// group's: that to the router, or one of a condition, whose id is one less.
	outRouter bool
	outPort   int32
	ports     ports
	// Only Antrea's: the Services it is about, one more than its place in
	// antreaOrder.services, 0 for any connection; and that it may do nothing to multicast.
	services  int32
	multicast bool
}

// where is the switch on which a term can match: that of the source, of the destination,
// or any.
type where uint8

const (
	atSource where = 1 << iota
	atDestination
	anywhere = atSource | atDestination
)

// ruleRef is the rule a term is of.
type ruleRef struct {
	policy    *model.Policy // nil for what is none
	key       model.Key
	direction model.Direction
	rule      int
	action    model.Action
	isolating []model.Key
	defect    string
	maybe     string // why it cannot be told whether it matches
}

// compile makes the terms of all policies that are enforced; what base made of the same
// policies is taken over.
func (x *Index) compile(base *Index) {
	m := &maker{condMaker: condMaker{x: x, known: map[string]*cond{}, pods: map[string]set{}}}
	x.known, x.made = m.known, map[*model.Policy]*section{}
	if base != nil {
		x.conds, m.base = slices.Clip(base.conds), base
		maps.Copy(m.known, base.known)
	}
	if x.view.System == model.SystemAntrea {
		m.antrea()
	} else {
		m.ovn()
	}
	for i := range x.terms {
		slices.SortStableFunc(x.terms[i], func(a, b term) int {
			return cmp.Or(cmp.Compare(a.tier, b.tier), cmp.Compare(b.priority, a.priority))
		})
	}
	x.arrange()
}

// ovn makes the terms of the rows that OVN-Kubernetes writes.
func (m *maker) ovn() {
	x := m.x
	for _, k := range []model.Kind{model.KindANP, model.KindBANP, model.KindCNP} {
		for p := range x.view.Cluster.Policies(k) {
			m.policy(p, m.admin)
		}
	}
	m.netpols()
	for p := range x.view.Cluster.Policies(model.KindEF) {
		m.policy(p, m.firewall)
	}
	m.defaults()
	m.multicast()
}

type maker struct {
	condMaker
	base *Index // nil for none
}

// section is what was made of one policy.
type section struct {
	rules []ruleRef
	terms [2][]term // their rules counted from 0
}

// policy makes the terms of a policy where it is enforced.
func (m *maker) policy(p *model.Policy, compile func(*model.Policy)) {
	x := m.x
	if !x.view.enforced(p) {
		return
	}
	first := int32(len(x.rules))
	if m.base != nil && m.base.made[p] != nil {
		s := m.base.made[p]
		x.made[p] = s
		x.rules = append(x.rules, s.rules...)
		for stage := range s.terms {
			for _, t := range s.terms[stage] {
				t.rule += first
				m.add(stage, t)
			}
		}
		return
	}
	begin := [2]int{len(x.terms[0]), len(x.terms[1])}
	compile(p)
	s := &section{rules: slices.Clone(x.rules[first:])}
	for stage := range s.terms {
		s.terms[stage] = slices.Clone(x.terms[stage][begin[stage]:])
		for i := range s.terms[stage] {
			s.terms[stage][i].rule -= first
		}
	}
	x.made[p] = s
}

// rule notes a rule and returns its place.
func (m *maker) rule(r ruleRef) int32 {
	m.x.rules = append(m.x.rules, r)
	return int32(len(m.x.rules) - 1)
}

func (m *maker) add(stage int, t term) { m.x.terms[stage] = append(m.x.terms[stage], t) }

func doesOf(a model.Action) does {
	switch a {
	case model.Allow:
		return allows
	case model.Deny:
		return drops
	}
	return passes
}

// subjects are the pods with a port that a policy selects; those of a namespace that is
// not known are none (ovn-kubernetes.md#subject-pods).
func (x *Index) subjects(p *model.Policy) overlap.PodSet {
	if p.Subject.Namespace != "" && x.view.Cluster.Namespace(p.Subject.Namespace) == nil {
		return nil
	}
	return x.pods.SubjectSet(p)
}

// admin makes the terms of an AdminNetworkPolicy, its baseline, or a ClusterNetworkPolicy
// (ovn-kubernetes.md#acl-match).
func (m *maker) admin(p *model.Policy) {
	subject := m.subjects(subjectKey(p), p)
	for r := range p.AllRules() {
		ref := ruleRef{policy: p, key: p.Key, direction: r.Direction, rule: r.Index, action: r.Action}
		t := term{priority: int32(ladder.RowPriority(p, r.Index)), rule: m.rule(ref), tier: int8(p.Tier), does: doesOf(r.Action)}
		peers := m.peers(r)
		stage := egressTerms
		t.from, t.to, t.at = subject, peers, atSource
		if r.Direction == model.Ingress {
			stage = ingressTerms
			t.from, t.to, t.at = peers, subject, atDestination
		}
		var some bool
		if t.ports, some = adminPorts(r); some {
			m.add(stage, t)
		}
		m.named(p, r, ref, t, stage)
	}
}

func subjectKey(p *model.Policy) string {
	return p.Subject.Namespace + "\x00" + selectors.Key(p.Subject.Namespaces) + "\x00" + podKey(p.Subject.Pods, p.Subject.AllPods)
}

func podKey(s model.Selector, all bool) string {
	if all {
		return ""
	}
	return selectors.Key(s)
}

// peers makes the condition that an address is in the sets of a rule
// (ovn-kubernetes.md#peers).
func (m *maker) peers(r *model.Rule) int32 {
	key := ""
	for i := range r.Peers {
		key += peerKey(&r.Peers[i]) + "\x01"
	}
	return m.addresses(key, func(a addrs) {
		for i := range r.Peers {
			m.peer(a, &r.Peers[i])
		}
	})
}

func peerKey(p *model.Peer) string {
	key := string(p.Kind) + "\x00" + p.Namespace + "\x00" + selectors.Key(p.Namespaces) + "\x00" +
		selectors.Key(p.Pods) + "\x00" + selectors.Key(p.Nodes)
	for _, n := range p.Networks {
		key += "\x00" + n
	}
	for _, n := range p.Except {
		key += "\x00!" + n
	}
	if p.Group != "" || p.DNSName != "" {
		key += "\x00group " + p.Group + "\x00name " + p.DNSName
	}
	if a := p.ServiceAccount; a != nil {
		key += "\x00account " + a.Namespace + "/" + a.Name
	}
	if p.Match != nil {
		key += "\x00" + fmt.Sprint(*p.Match)
	}
	return key
}

func (m *maker) peer(a addrs, p *model.Peer) {
	switch p.Kind {
	case model.PeerNamespaces, model.PeerPods:
		a.pods(peerKey(p), func() set { return m.x.ofPods(m.x.pods.PeerSet(p), m.x.view.family) })
	case model.PeerNodes:
		for _, n := range m.x.pods.Nodes(p.Nodes) {
			for _, ip := range n.HostIPs {
				a.single(ip, m.x.view.family)
			}
		}
	case model.PeerNetworks:
		for _, cidr := range p.Networks {
			if n, ok := match.ParseCIDR(cidr); ok && m.x.view.family(FamilyOf(n.Addr())) {
				a.block(block{network: n.Masked()})
			}
		}
	}
}

// arrange notes of each term where the next begins that has another subject, and of each
// condition its terms.
func (x *Index) arrange() {
	for stage, terms := range x.terms {
		x.byFrom[stage], x.byTo[stage] = make([][]int32, len(x.conds)), make([][]int32, len(x.conds))
		for i := range terms {
			from, to := &x.byFrom[stage][terms[i].from], &x.byTo[stage][terms[i].to]
			*from, *to = append(*from, int32(i)), append(*to, int32(i))
		}
		runs := make([]int32, len(terms))
		for i := len(terms) - 1; i >= 0; i-- {
			runs[i] = int32(i) + 1
			if i+1 < len(terms) && terms[i].subject(stage) == terms[i+1].subject(stage) {
				runs[i] = runs[i+1]
			}
		}
		x.runs[stage] = runs
	}
}

// subject is the condition of the term that the pods of its policy's subject meet.
func (t *term) subject(stage int) int32 {
	if stage == ingressTerms {
		return t.to
	}
	return t.from
}
