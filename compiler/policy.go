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

// CompiledUnit is a compiled policy, or compiled rows that belong to no single object (see model/kinds.go). It
// does not depend on which pods exist. It is immutable.
type CompiledUnit struct {
	Key model.PolicyKey
	// Policy is nil for a unit without an object.
	Policy *model.Policy
	// WhyNoRows is set if the policy has no desired rows; then only its subject is known.
	WhyNoRows *model.NoRows
	// GroupName and GroupIDs are the port group's name and external_ids, or empty without a port group.
	GroupName string
	GroupIDs  map[string]string
	// Sets are the address sets: ingress before egress, by rule, v4 before v6.
	Sets []*SetSpec

	// Holder is the row that references the ACLs; the zero ACLHolder means the unit's own port group. Other
	// handlers of OVN-Kubernetes make the row: only its acls are written.
	Holder ACLHolder
	// Zone is the only zone with these rows, or empty for all zones.
	Zone string

	related []model.PolicyKey

	owner  string
	levels model.LogLevels
	// subjects are the groups of subject pods. Their pods are the members of the unit's port group.
	subjects []*selectorGroup
	rules    []*compiledRule
	// shared are groups of sets that belong to no rule.
	shared []*selectorGroup
	// fixed are the ACLs that depend neither on the zone nor on pods.
	fixed         []*nb.ACL
	hasNamedPorts bool // some rule has named ports
}

// ACLHolder names a row of Port_Group or Logical_Switch.
type ACLHolder struct{ Table, Name string }

// HasRowsIn reports whether the unit has rows in a zone; "" means in any zone.
func (p *CompiledUnit) HasRowsIn(zone string) bool {
	return p.Zone == "" || zone == "" || p.Zone == zone
}

// SetSpec describes an address set and the sources of its members.
type SetSpec struct {
	Policy      model.PolicyKey
	Name        string
	ExternalIDs map[string]string
	v6          bool
	groups      []*selectorGroup
	nodes       []*selectors.Selector
	networks    []string // masked CIDRs or single addresses; sorted, without duplicates

	// KeptByOthers means that the live members stay, unknown to Rung, such as a DNS name's addresses.
	KeptByOthers bool

	work setWork
}

// setWork holds the compiler's notes about a set in the current step. A map would cost more.
type setWork struct {
	lastMove uint64 // the last move that met the set
	flags    uint8
	rec      *deltaRecorder // of the current step, once it has notes about the set
	net      netChange
}

// ID returns the set's k8s.ovn.org/id.
func (s *SetSpec) ID() string { return s.ExternalIDs[nb.KeyID] }

// isFixedMember reports whether the address is a member regardless of pods and nodes.
func (s *SetSpec) isFixedMember(addr string) bool {
	_, ok := slices.BinarySearch(s.networks, addr)
	return ok
}

func (s *SetSpec) selectsNode(n *model.Node) bool {
	return slices.ContainsFunc(s.nodes, func(sel *selectors.Selector) bool { return sel.Matches(n.Labels) })
}

type compiledRule struct {
	rule     *model.Rule
	priority int
	action   string
	v4, v6   string           // names of its address sets, empty if the family is disabled
	peers    []*selectorGroup // by peer index, or nil for peers that are not pods
	names    []string         // named ports, ascending, without duplicates
}

// matchWriter returns the writer of the rule's matches.
func (cr *compiledRule) matchWriter(portGroup string) match.RuleMatch {
	return match.RuleMatch{Direction: match.Direction(cr.rule.Direction), PortGroup: portGroup,
		Set4: cr.v4, Set6: cr.v6, V4: cr.v4 != "", V6: cr.v6 != ""}
}

// protocols lists the protocols in OVN-Kubernetes' order; output sorts rows by id.
var protocols = [...]string{"tcp", "udp", "sctp"}

var apiProtocols = [...]string{"TCP", "UDP", "SCTP"}

// compilePolicy compiles the parts of a policy that need no pods. c interns groups; the caller acquires them.
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

// LivePriority returns the priority of the ANP or CNP whose ACLs have this OVN priority and gress index, or -1.
func LivePriority(ovn, index int) int32 {
	n := ladder.PriorityAdmin - index - ovn
	if n < 0 || n%ladder.PriorityAdminStep != 0 {
		return -1
	}
	return int32(n / ladder.PriorityAdminStep)
}

var ovnActions = map[model.Action]string{model.Allow: nb.ActionAllowRelated, model.Deny: nb.ActionDrop, model.Pass: nb.ActionPass}

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

// addSet adds an address set to the unit: the addresses of the groups' pods, and the networks of the family.
func (out *CompiledUnit) addSet(ids map[string]string, family string, groups []*selectorGroup, networks []string) *SetSpec {
	s := &SetSpec{Policy: out.Key, Name: nb.HashedName(ids[nb.KeyID]), ExternalIDs: ids, v6: family == familyV6, groups: groups}
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

// maskedNetwork returns the canonical CIDR without host bits (ovn-kubernetes.md#peers). cidr is valid.
func maskedNetwork(cidr string) string {
	p, ok := match.ParseCIDR(cidr)
	if !ok {
		return cidr
	}
	return p.Masked().String()
}

// matchProtocol returns a port's protocol as matches spell it, empty if OVN-Kubernetes does not know it.
func matchProtocol(p model.Port) string {
	if i := slices.Index(apiProtocols[:], p.Protocol); i >= 0 {
		return protocols[i]
	}
	return ""
}

// fixedACLs returns a rule's ACLs for numeric ports, or one without an L4 condition
// (ovn-kubernetes.md#acls-of-a-rule). It returns none for a rule with only named ports.
func (c *networkCompiler) fixedACLs(out *CompiledUnit, cr *compiledRule) []*nb.ACL {
	r := cr.rule
	w := cr.matchWriter(out.GroupName)
	if len(r.Ports) == 0 {
		return []*nb.ACL{out.ruleACL(c.options, cr, "None", w.PortlessMatch())}
	}
	var acls []*nb.ACL
	// The last pass takes ports with unknown protocols. OVN-Kubernetes writes a broken row for them
	// (ovn-kubernetes.md#unknown-protocol); without it the rule would look as if it had no such ports.
	for _, proto := range append(protocols[:], "") {
		var terms []match.PortTerm
		for _, p := range r.Ports {
			if p.Name == "" && matchProtocol(p) == proto {
				terms = append(terms, match.PortTerm{Lo: p.Start, Hi: p.End})
			}
		}
		if len(terms) > 0 {
			acls = append(acls, out.ruleACL(c.options, cr, proto, w.NumericMatch(proto, terms)))
		}
	}
	return acls
}

// ruleACL returns one ACL of a rule (ovn-kubernetes.md#acl-ids, #policy-logging).
func (out *CompiledUnit) ruleACL(o Options, cr *compiledRule, proto, expr string) *nb.ACL {
	r := cr.rule
	return out.newACL(o, rowSpec{
		name: logline.ACLName(out.Key, r.Direction, r.Index),
		pairs: []nb.IDPair{{Key: nb.KeyName, Value: out.Key.Name}, {Key: nb.KeyDirection, Value: string(r.Direction)},
			{Key: nb.KeyGressIndex, Value: strconv.Itoa(r.Index)}, {Key: nb.KeyProtocol, Value: proto}},
		direction: r.Direction, priority: cr.priority, action: cr.action, level: out.levels.ForAction(r.Action),
		match: expr, sampled: true,
	})
}
