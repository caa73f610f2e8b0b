package compiler

import (
	"slices"
	"strconv"

	"rung/model"
	"rung/model/ladder"
	"rung/model/logline"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
	"rung/model/selectors"
)

// CompiledUnit is one unit compiled, as far as that does not depend on which pods
// there are: a policy, or rows that several policies or none stand for (the kinds
// of model/kinds.go that are no objects). It is immutable.
type CompiledUnit struct {
	Key model.PolicyKey
	// Policy is nil for a unit that is no object.
	Policy *model.Policy
	// WhyNoRows is set when the policy has no desired rows; its subject is known all
	// the same, nothing else is.
	WhyNoRows *model.NoRows
	// GroupName and GroupIDs are the port group's name and external_ids, empty
	// for a unit without one.
	GroupName string
	GroupIDs  map[string]string
	// Sets are the address sets: ingress before egress, by rule, v4 before v6.
	Sets []*setSpec

	// Holder is the row the ACLs hang on; the zero ACLHolder is the unit's own port
	// group. The row is OVN-Kubernetes' own: only its acls are written.
	Holder ACLHolder
	// Zone is the only zone that has the rows, empty when all have them.
	Zone string

	related []model.PolicyKey

	owner  string
	levels model.LogLevels
	// subjects are the groups whose pods are meant, together: the members of
	// the port group where the unit has one.
	subjects []*selectorGroup
	rules    []*compiledRule
	// shared are groups of sets that belong to no rule.
	shared []*selectorGroup
	// fixed are the ACLs that are the same in every zone and for all pods.
	fixed         []*nb.ACL
	hasNamedPorts bool // some rule has named ports
}

// ACLHolder names a row of Port_Group or Logical_Switch.
type ACLHolder struct{ Table, Name string }

// HasRowsIn says whether the unit has rows in a zone; an empty one stands for all zones
// together.
func (p *CompiledUnit) HasRowsIn(zone string) bool {
	return p.Zone == "" || zone == "" || p.Zone == zone
}

// setSpec is an address set: where its members come from.
type setSpec struct {
	Policy      model.PolicyKey
	Name        string
	ExternalIDs map[string]string
	v6          bool
	groups      []*selectorGroup
	nodes       []*selectors.Selector
	networks    []string // masked, or single addresses; sorted, without duplicates

	// KeptByOthers says that the members are not known here: somebody else, who resolves
	// the DNS name, keeps them.
	KeptByOthers bool

	work setWork
}

// setWork is the compiler's own, and nobody else's: what it notes about a set in
// the step under way, where a map would cost more than all the rest of a pod's
// move.
type setWork struct {
	lastMove uint64 // the move that met the set last
	flags    uint8
	rec      *deltaRecorder // of the step under way, once it has news of the set
	net      netChange
}

// SetSpec is the exported name of an address set, as Delta and CompiledUnit use it.
type SetSpec = setSpec

// ID is the set's k8s.ovn.org/id.
func (s *setSpec) ID() string { return s.ExternalIDs[nb.KeyID] }

// isFixedMember says whether the address is a member whatever pods and nodes there are.
func (s *setSpec) isFixedMember(addr string) bool {
	_, ok := slices.BinarySearch(s.networks, addr)
	return ok
}

func (s *setSpec) selectsNode(n *model.Node) bool {
	return slices.ContainsFunc(s.nodes, func(sel *selectors.Selector) bool { return sel.Matches(n.Labels) })
}

type compiledRule struct {
	rule     *model.Rule
	priority int
	action   string
	v4, v6   string           // names of its address sets, empty when disabled
	peers    []*selectorGroup // by peer index, nil for peers that are not pods
	names    []string         // named ports, ascending, without duplicates
}

// matchWriter writes the rule's matches.
func (cr *compiledRule) matchWriter(portGroup string) match.RuleMatch {
	return match.RuleMatch{Direction: match.Direction(cr.rule.Direction), PortGroup: portGroup,
		Set4: cr.v4, Set6: cr.v6, V4: cr.v4 != "", V6: cr.v6 != ""}
}

// protocols in the order OVN-Kubernetes would list them; rows are sorted by id
// for output.
var protocols = [...]string{"tcp", "udp", "sctp"}

// apiProtocols are the same as the API writes them.
var apiProtocols = [...]string{"TCP", "UDP", "SCTP"}

// compilePolicy does everything about a policy that needs no pods. Groups are
// interned through c; the caller acquires them.
func (c *networkCompiler) compilePolicy(p *model.Policy) *CompiledUnit {
	out := &CompiledUnit{Key: p.Key, Policy: p, owner: string(p.Kind)}
	out.subjects = []*selectorGroup{c.internGroup(p.Subject.Namespaces, p.Subject.Pods, p.Subject.Namespace, false)}
	levels, none := c.refusals().WhyAdmin(p)
	if none != nil {
		out.WhyNoRows = none
		return out
	}
	out.levels = levels
	out.setGroup(nb.IDPair{Key: nb.KeyName, Value: p.Name})
	for r := range p.AllRules() {
		c.compileRule(out, r)
	}
	return out
}

// LivePriority is the priority of an ANP or CNP that ACLs of this OVN priority and
// gress index were compiled from, or -1 when they cannot be one's.
func LivePriority(ovn, index int) int32 {
	n := ladder.PriorityAdmin - index - ovn
	if n < 0 || n%ladder.PriorityAdminStep != 0 {
		return -1
	}
	return int32(n / ladder.PriorityAdminStep)
}

var ovnActions = map[model.Action]string{model.Allow: nb.ActionAllowRelated, model.Deny: nb.ActionDrop,
	model.Pass: nb.ActionPass}

func (c *networkCompiler) compileRule(out *CompiledUnit, r *model.Rule) {
	cr := &compiledRule{rule: r, priority: ladder.RowPriority(out.Policy, r.Index), action: ovnActions[r.Action]}
	cr.peers = make([]*selectorGroup, len(r.Peers))
	var groups []*selectorGroup
	var nodes []*selectors.Selector
	var networks []string
	for i := range r.Peers {
		switch p := &r.Peers[i]; p.Kind {
		case model.PeerNamespaces, model.PeerPods:
			g := c.internGroup(p.Namespaces, p.Pods, p.Namespace, false)
			cr.peers[i] = g
			if !slices.Contains(groups, g) {
				groups = append(groups, g)
			}
		case model.PeerNodes:
			nodes = append(nodes, c.selectors.InternSelector(p.Nodes))
		case model.PeerNetworks:
			for _, n := range p.Networks {
				networks = append(networks, maskedNetwork(n))
			}
		}
	}
	for _, f := range c.options.familyNames() {
		ids := nb.IDs(nb.DefaultController, out.owner, nb.IDPair{Key: nb.KeyName, Value: out.Key.Name},
			nb.IDPair{Key: nb.KeyDirection, Value: string(r.Direction)},
			nb.IDPair{Key: nb.KeyGressIndex, Value: strconv.Itoa(r.Index)}, nb.IDPair{Key: nb.KeyIPFamily, Value: f})
		s := out.addSet(ids, f, groups, networks)
		s.nodes = nodes
		if s.v6 {
			cr.v6 = s.Name
		} else {
			cr.v4 = s.Name
		}
	}
	for i := range r.Ports {
		if n := r.Ports[i].Name; n != "" && !slices.Contains(cr.names, n) {
			cr.names = append(cr.names, n)
		}
	}
	slices.Sort(cr.names)
	out.hasNamedPorts = out.hasNamedPorts || len(cr.names) > 0
	out.rules = append(out.rules, cr)
	out.fixed = append(out.fixed, c.fixedACLs(out, cr)...)
}

// addSet gives the unit an address set of a family: the pods of groups, and the networks
// and addresses of the family besides.
func (out *CompiledUnit) addSet(ids map[string]string, family string, groups []*selectorGroup, networks []string) *setSpec {
	s := &setSpec{Policy: out.Key, Name: nb.HashedName(ids[nb.KeyID]), ExternalIDs: ids, v6: family == familyV6,
		groups: groups}
	for _, n := range networks {
		if isV6(n) == s.v6 {
			s.networks = append(s.networks, n)
		}
	}
	slices.Sort(s.networks)
	s.networks = slices.Compact(s.networks)
	out.Sets = append(out.Sets, s)
	return s
}

// maskedNetwork clears the host bits and writes the canonical form
// (ovn-kubernetes.md#peers). The CIDR was checked before.
func maskedNetwork(cidr string) string {
	p, ok := match.ParseCIDR(cidr)
	if !ok {
		return cidr
	}
	return p.Masked().String()
}

// protocolOf is a port's protocol as matches write it, empty for one that
// OVN-Kubernetes does not know: it takes capitals only.
func protocolOf(p model.Port) string {
	if i := slices.Index(apiProtocols[:], p.Protocol); i >= 0 {
		return protocols[i]
	}
	return ""
}

// fixedACLs are a rule's ACLs for numeric ports, or the one without an L4
// condition (ovn-kubernetes.md#acls-of-a-rule). A rule of named ports only has none.
func (c *networkCompiler) fixedACLs(out *CompiledUnit, cr *compiledRule) []*nb.ACL {
	r := cr.rule
	w := cr.matchWriter(out.GroupName)
	if len(r.Ports) == 0 {
		return []*nb.ACL{out.ruleACL(c.options, cr, "None", w.PortlessMatch())}
	}
	var acls []*nb.ACL
	// The last pass takes what has no protocol OVN-Kubernetes knows: it writes a
	// broken row for these ports (ovn-kubernetes.md#unknown-protocol), which must not
	// look as if the rule had no such ports.
	for _, proto := range append(protocols[:], "") {
		var terms []match.PortTerm
		for _, p := range r.Ports {
			if p.Name == "" && protocolOf(p) == proto {
				terms = append(terms, match.PortTerm{Lo: p.Start, Hi: p.End})
			}
		}
		if len(terms) > 0 {
			acls = append(acls, out.ruleACL(c.options, cr, proto, w.NumericMatch(proto, terms)))
		}
	}
	return acls
}

// ruleACL is a row of a rule (ovn-kubernetes.md#acl-ids, #policy-logging).
func (out *CompiledUnit) ruleACL(o Options, cr *compiledRule, proto, expr string) *nb.ACL {
	r := cr.rule
	return out.newACL(o, rowSpec{
		name: logline.ACLName(out.Key, r.Direction, r.Index),
		pairs: []nb.IDPair{{Key: nb.KeyName, Value: out.Key.Name}, {Key: nb.KeyDirection, Value: string(r.Direction)},
			{Key: nb.KeyGressIndex, Value: strconv.Itoa(r.Index)}, {Key: nb.KeyProtocol, Value: proto}},
		direction: r.Direction, priority: cr.priority, action: cr.action, level: out.levels.LevelOf(r.Action),
		match: expr, sampled: true,
	})
}
