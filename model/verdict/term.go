package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"rung/model"
	"rung/model/ladder"
	"rung/model/ovn/match"
	"rung/model/selectors"
)

// Term matches if both ends and the port do. It represents a policy's rule, part of a rule, or generated rows.
type Term struct {
	From, To int32 // Index.Conditions
	Priority int32
	Rule     int32 // into Index.Rules
	Tier     int8
	Effect   TermEffect
	Switch   HopSwitch
	Maybe    bool
	// OutRouter and OutPort restrict the outgoing port of a multicast packet, whose address is a group's: the
	// port to the router, or a port of a condition. OutPort is the condition's id plus one.
	OutRouter bool
	OutPort   int32
	Ports     PortSet
	// Services is the index in Index.aboutServices plus one; 0 means any connection. Multicast reports that
	// the effect on multicast is unknown.
	Services  int32
	Multicast bool
}

// setEnds sets the ends of a term from a rule's direction, subject and peers, and returns its stage.
func (t *Term) setEnds(d model.Direction, subject, peers int32) (stage int) {
	if d == model.Ingress {
		t.From, t.To, t.Switch = peers, subject, AtDestination
		return IngressTerms
	}
	t.From, t.To, t.Switch = subject, peers, AtSource
	return EgressTerms
}

// HopSwitch says on which switch a term can match: the source's, the destination's, or any.
type HopSwitch uint8

const (
	AtSource HopSwitch = 1 << iota
	AtDestination
	Anywhere = AtSource | AtDestination
)

// Rule is the rule of a term.
type Rule struct {
	Policy    *model.Policy // nil for generated rows
	Key       model.Key
	Direction model.Direction
	Index     int
	Action    model.Action
	Isolating []model.Key
	Reply     bool // it decides about replies
	OwnNode   bool // connections from a node to its own pods: the key has no node
	defect    string
	Maybe     string // why it is unknown whether it matches
}

// compileTerms makes the terms of all enforced policies, reusing the conditions of base.
func (x *Index) compileTerms(base *Index) {
	m := &termMaker{condMaker: condMaker{x: x, byKey: map[string]*Condition{}, pods: map[string]Set{}}}
	x.conditionsByKey = m.byKey
	if base != nil {
		x.Conditions = slices.Clip(base.Conditions)
		maps.Copy(m.byKey, base.conditionsByKey)
	}
	x.order = x.view.Precedence.terms(m)
	for i := range x.Terms {
		slices.SortStableFunc(x.Terms[i], func(a, b Term) int {
			return cmp.Or(cmp.Compare(a.Tier, b.Tier), cmp.Compare(b.Priority, a.Priority))
		})
	}
	x.arrangeTerms()
}

// addAllTerms makes the terms of the rows that OVN-Kubernetes writes.
func (m *termMaker) addAllTerms() *policyOrder {
	x := m.x
	for _, k := range []model.Kind{model.KindANP, model.KindBANP, model.KindCNP} {
		for p := range x.view.Cluster.Policies(k) {
			m.addPolicy(p, m.addAdminPolicy)
		}
	}
	m.addNetpols()
	for p := range x.view.Cluster.Policies(model.KindEF) {
		m.addPolicy(p, m.addFirewall)
	}
	m.addDefaults()
	m.addMulticast()
	m.addReplies()
	return nil
}

type termMaker struct{ condMaker }

// addPolicy makes the terms of a policy if it is enforced.
func (m *termMaker) addPolicy(p *model.Policy, compile func(*model.Policy)) {
	if m.x.view.IsEnforced(p) {
		compile(p)
	}
}

func (m *termMaker) addRule(r Rule) int32 {
	m.x.Rules = append(m.x.Rules, r)
	return int32(len(m.x.Rules) - 1)
}

func (m *termMaker) addTerm(stage int, t Term) { m.x.Terms[stage] = append(m.x.Terms[stage], t) }

func actionEffect(a model.Action) TermEffect {
	switch a {
	case model.Allow:
		return Allows
	case model.Deny:
		return Drops
	}
	return Passes
}

// SubjectPods returns the pods with a port that a policy selects. It is empty for a namespace that does not
// exist (ovn-kubernetes.md#subject-pods).
func (x *Index) SubjectPods(p *model.Policy) selectors.PodSet {
	if p.Subject.Namespace != "" && x.view.Cluster.Namespace(p.Subject.Namespace) == nil {
		return nil
	}
	return x.Pods.SubjectSet(p)
}

// addAdminPolicy makes the terms of an AdminNetworkPolicy, its baseline, or a ClusterNetworkPolicy
// (ovn-kubernetes.md#acl-match).
func (m *termMaker) addAdminPolicy(p *model.Policy) {
	subject := m.subjectCondition(subjectKey(p), p)
	for r := range p.AllRules() {
		ref := Rule{Policy: p, Key: p.Key, Direction: r.Direction, Index: r.Index, Action: r.Action}
		t := Term{Priority: int32(ladder.RowPriority(p, r.Index)), Rule: m.addRule(ref), Tier: int8(p.Tier), Effect: actionEffect(r.Action)}
		stage := t.setEnds(r.Direction, subject, m.peersCondition(r))
		var some bool
		t.Ports, some = adminPorts(r)
		if !some {
			t.Ports = PortSet{} // matches nothing, but a trace shows that the rule was tried
		}
		m.addTerm(stage, t)
		m.addNamedPorts(p, r, ref, t, stage)
	}
}

func subjectKey(p *model.Policy) string {
	return p.Subject.Namespace + "\x00" + selectors.SelectorKey(p.Subject.Namespaces) + "\x00" + podKey(p.Subject.Pods, p.Subject.AllPods)
}

func podKey(s model.Selector, all bool) string {
	if all {
		return ""
	}
	return selectors.SelectorKey(s)
}

// peersCondition makes the condition that an address is in the address sets of a rule
// (ovn-kubernetes.md#peers).
func (m *termMaker) peersCondition(r *model.Rule) int32 {
	key := ""
	for i := range r.Peers {
		key += peerKey(&r.Peers[i]) + "\x01"
	}
	return m.addressCondition(key, func(a conditionAddrs) {
		for i := range r.Peers {
			m.addPeer(a, &r.Peers[i])
		}
	})
}

func peerKey(p *model.Peer) string {
	key := string(p.Kind) + "\x00" + p.Namespace + "\x00" + selectors.SelectorKey(p.Namespaces) + "\x00" +
		selectors.SelectorKey(p.Pods) + "\x00" + selectors.SelectorKey(p.Nodes)
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

func hostIPs(n *model.Node) []string { return n.HostIPs }

func (m *termMaker) addPeer(a conditionAddrs, p *model.Peer) {
	switch p.Kind {
	case model.PeerNamespaces, model.PeerPods:
		a.addPods(peerKey(p), func() Set { return m.x.endsOfPods(m.x.Pods.PeerSet(p), m.x.view.hasFamily) })
	case model.PeerNodes:
		a.addNodes(p.Nodes, hostIPs, m.x.view.hasFamily)
	case model.PeerNetworks:
		for _, cidr := range p.Networks {
			if n, ok := match.ParseCIDR(cidr); ok && m.x.view.hasFamily(AddrFamily(n.Addr())) {
				a.addBlock(exceptedBlock{Network: n.Masked()})
			}
		}
	}
}

// arrangeTerms indexes the terms by condition, and finds for each the next term with another subject.
func (x *Index) arrangeTerms() {
	for stage, terms := range x.Terms {
		x.TermsFrom[stage], x.TermsTo[stage] = make([][]int32, len(x.Conditions)), make([][]int32, len(x.Conditions))
		for i := range terms {
			from, to := &x.TermsFrom[stage][terms[i].From], &x.TermsTo[stage][terms[i].To]
			*from, *to = append(*from, int32(i)), append(*to, int32(i))
		}
		runs := make([]int32, len(terms))
		for i := len(terms) - 1; i >= 0; i-- {
			runs[i] = int32(i) + 1
			if i+1 < len(terms) && terms[i].SubjectCondition(stage) == terms[i+1].SubjectCondition(stage) {
				runs[i] = runs[i+1]
			}
		}
		x.NextSubject[stage] = runs
	}
}

// SubjectCondition returns the term's condition on the pods of its policy's subject.
func (t *Term) SubjectCondition(stage int) int32 {
	if stage == IngressTerms || stage == ReplyEgressTerms {
		return t.To
	}
	return t.From
}
