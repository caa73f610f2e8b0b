package convert

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/antrea"
	"rung/model/words"
)

// convertedRule holds a source rule and its clauses in the target API, each clause with one subject. The
// clauses share a place, since they have the same action.
type convertedRule struct {
	policy  *model.Policy
	rule    *model.Rule
	clauses []*ruleClause
	// differences hold now; new or changed objects may bring laterDifferences. silentlyRefused is true if a
	// rejected client gets no answer.
	differences, laterDifferences []string
	silentlyRefused               bool
	outside                       []string // networks of an ingress rule, not expressible
	madeRules                     []MadeRule
}

// ruleClause is a part of a rule for one subject.
type ruleClause struct {
	// column identifies the new policy: clauses with the same column share one.
	column  string
	subject model.Subject
	value   *ValueRecord // namespace value the clause is for; nil if it is not split
	peers   []model.Peer
	ports   []model.Port
}

func (s *convertedRule) addDifference(format string, a ...any) {
	s.differences = append(s.differences, fmt.Sprintf(format, a...))
}
func (s *convertedRule) addLaterDifference(format string, a ...any) {
	s.laterDifferences = append(s.laterDifferences, fmt.Sprintf(format, a...))
}

// fidelity returns the rule's label, its kind of difference, and why.
func (s *convertedRule) fidelity() (FidelityLabel, Difference, string) {
	var why []string
	for _, w := range slices.Concat(s.differences, s.laterDifferences) {
		if !slices.Contains(why, w) {
			why = append(why, w)
		}
	}
	if s.silentlyRefused && len(s.madeRules) > 0 {
		why = append(why, "rejected connections are dropped without an answer: the API has no Reject")
	}
	text := strings.Join(why, "; ")
	switch {
	case len(s.madeRules) == 0 && len(s.differences) == 0:
		return Inexpressible, DiffersLater, text
	case len(s.madeRules) == 0:
		return Inexpressible, DiffersNow, text
	case len(s.differences) > 0:
		return Approximate, DiffersNow, text
	case len(s.laterDifferences) > 0:
		return Approximate, DiffersLater, text
	case s.silentlyRefused:
		return Approximate, DiffersAnswer, text
	}
	return Exact, "", ""
}

// nodesDifference describes the difference for node peers.
const nodesDifference = "nodes (%s): Antrea uses InternalIPs and gateways, OVN-Kubernetes all addresses"

// noteAllRules records the results of all rules.
func (m *policyMaker) noteAllRules(ties []policyTie) {
	for i := range ties {
		for _, s := range ties[i].rules {
			l, d, why := s.fidelity()
			m.noteRule(s.policy, s.rule, l, why, s.madeRules...)
			m.out.Rules[len(m.out.Rules)-1].Differs = d
		}
	}
}

// convertRule converts a rule. required are the labels that a namespace must have for the policy to apply to
// its pods.
func (f *importer) convertRule(p *model.Policy, r *model.Rule, required []string) *convertedRule {
	s := &convertedRule{policy: p, rule: r, silentlyRefused: r.Tiered.Action == "Reject"}
	if len(r.Tiered.L7) > 0 {
		s.addDifference("the API does not support layer 7: %s", words.List(r.Tiered.L7, 2))
		return s
	}
	subjects := f.convertSubjects(s, required)
	if len(subjects) == 0 {
		if len(s.differences)+len(s.laterDifferences) == 0 {
			s.addLaterDifference("it applies to nothing")
		}
		return s
	}
	ports, ok := f.convertPorts(s)
	if !ok {
		return s
	}
	if len(r.Tiered.ToServices) > 0 {
		f.addServicePeers(s, subjects)
		return s
	}
	plain := f.convertPeers(s)
	for _, subject := range subjects {
		if len(plain) > 0 {
			s.addPeers(subject, nil, plain, ports)
		}
	}
	for i := range r.Peers {
		if r.Peers[i].Match != nil {
			f.splitPeer(s, subjects, &r.Peers[i], ports)
		}
	}
	if len(s.clauses) == 0 && len(s.differences)+len(s.laterDifferences) == 0 {
		s.addLaterDifference("its peers select nothing")
	}
	return s
}

// addPeers adds peers to the clause of a subject, or begins the clause.
func (s *convertedRule) addPeers(subject model.Subject, value *ValueRecord, peers []model.Peer, ports []model.Port) {
	column := s.policy.Key.String() + "\x00" + subjectKey(&subject)
	for _, p := range s.clauses {
		if p.column == column {
			p.peers, p.value = append(p.peers, clonedPeers(peers)...), cmp.Or(p.value, value)
			return
		}
	}
	s.clauses = append(s.clauses, &ruleClause{column: column, subject: subject, value: value, peers: clonedPeers(peers), ports: ports})
}

// convertSubjects returns the distinct subjects that a rule applies to.
func (f *importer) convertSubjects(s *convertedRule, required []string) []model.Subject {
	list := s.policy.Tiered.AppliedTo
	if len(s.rule.Tiered.AppliedTo) > 0 {
		list = s.rule.Tiered.AppliedTo
	}
	for i := range list {
		if list[i].Group != "" {
			f.noteGroupDrift(s, list[i].Group)
		}
	}
	scope := f.groups.ScopeOfRule(s.policy, s.rule)
	for _, r := range scope.Reasons {
		s.addLaterDifference("%s", r.Message)
	}
	for _, k := range scope.Services {
		s.addDifference("the API does not support NodePort Services as subject: %s/%s", k.Namespace, k.Name)
	}
	for _, n := range scope.Nodes {
		s.addDifference("the API does not support nodes as subject: %s", n.String())
	}
	var out []model.Subject
	var seen []string
	for i := range scope.Pods {
		sel := &scope.Pods[i]
		if sel.Account != nil {
			s.addDifference("selectors cannot match pods by service account: %s", sel.Account)
			continue
		}
		namespaces := namedOrSelected(sel.Namespace, sel.Namespaces)
		if len(required) > 0 {
			namespaces = andSelector(namespaces, selectorOfKeys(required))
		}
		subject := newSubject(namespaces, sel.Pods)
		if key := subjectKey(&subject); !slices.Contains(seen, key) && !namespaces.IsNil() && !sel.Pods.IsNil() {
			seen, out = append(seen, key), append(out, subject)
		}
	}
	return out
}

// noteGroupDrift notes that the conversion does not follow later changes of a group's Service or children.
func (f *importer) noteGroupDrift(s *convertedRule, name string) {
	k := antrea.GroupKey(s.policy, name)
	g, ok := f.c.Get(k).(*model.Group)
	switch {
	case !ok:
	case g.Service != nil:
		s.addLaterDifference("%s is converted with the present selector of Service %s/%s, not later ones",
			antrea.ObjectLabel(k), g.Service.Namespace,
			g.Service.Name)
	case len(g.Children) > 0:
		s.addLaterDifference("%s is converted with its present children, not later ones", antrea.ObjectLabel(k))
	}
}

// convertPeers returns the peers of a rule that are the same for all subjects.
func (f *importer) convertPeers(s *convertedRule) (out []model.Peer) {
	r := s.rule
	everywhere := model.Peer{Kind: model.PeerNamespaces, Namespaces: model.SelectEverything(), Pods: model.SelectEverything()}
	if r.AnyPeer {
		out = append(out, everywhere)
		if r.Direction == model.Egress {
			return append(out, model.Peer{Kind: model.PeerNetworks, Networks: []string{"0.0.0.0/0", "::/0"}})
		}
		s.addDifference("connections from nodes and outside the cluster: the API supports pods only")
		return out
	}
	for i := range r.Peers {
		if r.Peers[i].Match == nil {
			out = append(out, f.convertPeer(s, &r.Peers[i])...)
		}
	}
	if len(s.outside) > 0 {
		s.addDifference("the API does not support networks in ingress: %s", words.List(s.outside, 3))
	}
	return out
}

// convertPeer converts a peer and notes what cannot be expressed.
func (f *importer) convertPeer(s *convertedRule, p *model.Peer) (out []model.Peer) {
	switch p.Kind {
	case model.PeerGroup:
		f.noteGroupDrift(s, p.Group)
		m := f.groups.FindMembers(antrea.GroupKey(s.policy, p.Group))
		for _, r := range m.Reasons {
			s.addLaterDifference("%s", r.Message)
		}
		for i := range m.Pods {
			out = append(out, newPodPeer(namedOrSelected(m.Pods[i].Namespace, m.Pods[i].Namespaces), m.Pods[i].Pods))
		}
		return append(out, f.networkPeers(s, m.Networks)...)
	case model.PeerNetworks:
		return f.networkPeers(s, p.Networks)
	case model.PeerNodes:
		if s.rule.Direction == model.Ingress {
			s.addDifference("connections from nodes (%s): the API supports pods only", p.Nodes)
			return nil
		}
		s.addDifference(nodesDifference, p.Nodes)
		return []model.Peer{{Kind: model.PeerNodes, Nodes: p.Nodes}}
	case model.PeerDNS:
		if f.targetKind == model.KindCNP {
			s.addDifference("OVN-Kubernetes enforces no ClusterNetworkPolicy with domain names: %s", p.DNSName)
		} else {
			s.addDifference("the API does not support domain names: %s", p.DNSName)
		}
		return nil
	case model.PeerServiceAccount:
		s.addDifference("selectors cannot match pods by service account: %s", p.ServiceAccount)
		return nil
	}
	namespaces := namedOrSelected(p.Namespace, p.Namespaces)
	if p.Pods.IsNil() || namespaces.IsNil() {
		return nil // matches nothing
	}
	return []model.Peer{newPodPeer(namespaces, p.Pods)}
}

func (f *importer) networkPeers(s *convertedRule, cidrs []string) []model.Peer {
	if len(cidrs) == 0 {
		return nil
	}
	if s.rule.Direction == model.Ingress {
		s.outside = append(s.outside, cidrs...)
		return nil
	}
	for _, c := range cidrs {
		if antrea.IsMulticast(c) {
			s.addDifference("OVN-Kubernetes decides multicast (%s) differently", c)
		}
	}
	return []model.Peer{{Kind: model.PeerNetworks, Networks: slices.Clone(cidrs)}}
}
