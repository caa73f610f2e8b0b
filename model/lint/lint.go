package lint

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"

	"rung/model"
	"rung/model/ladder"
	"rung/model/network"
	"rung/model/selectors"
)

// Options configure Run; the zero value is usable.
type Options struct {
	// MaxPriority is the largest supported priority; 0 means model.MaxPriority.
	MaxPriority int32
	// CNP is true if ClusterNetworkPolicies are compiled.
	CNP bool
	// Index is of the same cluster; made if nil.
	Index *selectors.PodIndex
	// Ladder is of the same cluster, MaxPriority and CNP; made if nil.
	Ladder *ladder.Ladder
	// NoSubnets is true if the cluster's pod subnets are unknown; NodeSubnets are then the nodes' subnets.
	NoSubnets   bool
	NodeSubnets []netip.Prefix
	// IPv4 and IPv6 are the families that rows are compiled for. If both are equal, the nodes' subnets decide.
	IPv4, IPv6 bool
	// LegacyIsolation makes the isolation annotation of 2016 count.
	LegacyIsolation bool
	System          System
	// HostNetworkNamespace is the namespace that represents the nodes as a peer.
	HostNetworkNamespace string
	// Networks has the networks other than the default, nil if there are none; NoMultiPolicies is true if
	// MultiNetworkPolicies are not programmed.
	Networks        *network.Table
	NoMultiPolicies bool
}

// linter is one run of Run.
type linter struct {
	c             *model.Cluster
	x             *selectors.PodIndex
	max           int32
	ladder        *ladder.Ladder
	policies      []*model.Policy         // admin policies in the order in which they decide
	otherPolicies []*model.Policy         // NetworkPolicies of all kinds, then EgressFirewalls, by namespace and name
	networks      *network.Table          // Options.Networks
	order         map[model.PolicyKey]int // of all policies
	legacy        bool                    // Options.LegacyIsolation
	hostNamespace string                  // Options.HostNetworkNamespace
	pods          bool                    // the cluster has pods: report selectors that match none
	portNames     *portNames
	missing       missingAddressFamily // address family that the cluster lacks
	services      *[]serviceAddr       // of all Services; nil until first used
	out           []model.Finding
}

// Run checks every policy and adds the broken objects. The worst findings come first, then by policy and rule.
func Run(c *model.Cluster, broken []model.Broken, opt Options) []model.Finding {
	if opt.MaxPriority == 0 {
		opt.MaxPriority = model.MaxPriority
	}
	if opt.Index == nil {
		opt.Index = selectors.NewPodIndex(c, nil)
	}
	if opt.Ladder == nil {
		opt.Ladder = ladder.New(c, ladder.Options{Max: opt.MaxPriority, CNP: opt.CNP, Index: opt.Index})
	}
	l := &linter{c: c, x: opt.Index, max: opt.MaxPriority, ladder: opt.Ladder, order: map[model.PolicyKey]int{},
		pods: !opt.Index.AllPods().IsEmpty(), legacy: opt.LegacyIsolation, hostNamespace: opt.HostNetworkNamespace,
		portNames: &portNames{opt.Index, map[string]map[model.Port]bool{}},
		missing:   missingFamily(c, opt.IPv4, opt.IPv6), networks: opt.Networks}
	if opt.System.Check != nil {
		l.checkTierPlaces(&opt.System)
		for p := range l.c.TieredPolicies() {
			l.checkServicePeers(p)
		}
		for p := range l.c.Policies(model.KindNP) {
			l.checkServicePeers(p)
			l.checkSelectsNothing(p)
		}
		return l.finishFindings(&opt.System.Idle, broken)
	}
	for _, p := range slices.SortedFunc(c.AllPolicies(), ladder.ComparePolicies) {
		l.order[p.Key] = len(l.order)
		l.addInvalid(p)
		switch {
		case p.Kind == model.KindCNP:
			l.checkCNP(p, opt.CNP)
			if opt.CNP {
				l.policies = append(l.policies, p)
			}
		case p.Kind.IsAdmin():
			l.policies = append(l.policies, p)
		default:
			l.otherPolicies = append(l.otherPolicies, p)
		}
	}
	needs := &needLint{linter: l, services: FindVitalServices(c, l.x)}
	for _, p := range l.policies {
		l.checkPolicy(p)
		l.checkNegativeSubject(p)
		l.checkSetOverlap(p)
		for r := range p.AllRules() {
			if everyone := l.checkRule(p, r); r.Direction == model.Egress && r.Action == model.Deny && !r.MatchesNothing() {
				needs.checkDeny(p, r, everyone)
			}
			l.checkCosts(p, r)
		}
		for _, d := range model.Directions {
			l.checkShadows(p, p.Rules(d))
			l.checkExcessRules(p, d)
		}
	}
	netpols := &netpolLint{linter: l, levels: map[string]string{}}
	firewalls := &firewallLint{linter: l, noSubnets: opt.NoSubnets, nodeSubnets: opt.NodeSubnets}
	for _, p := range l.otherPolicies {
		netpols.checkNamespaceLogging(p)
		switch p.Kind {
		case model.KindMNP:
			netpols.checkNetpol(p)
		case model.KindNP:
			netpols.checkNetpol(p)
			netpols.checkNetpol2016(p)
		case model.KindEF:
			firewalls.checkFirewall(p)
		}
	}
	for _, p := range slices.Concat(l.policies, l.otherPolicies) {
		l.checkServicePeers(p)
	}
	needs.checkRulesDroppingDNS()
	l.checkDuplicates()
	l.checkGaps()
	l.checkPolicyCount()
	l.checkTenants()
	l.checkConversions()
	l.checkConflicts()
	l.checkNames()
	netpols.checkIsolations()
	networkLint{l}.checkNetworks(!opt.NoMultiPolicies)
	return l.finishFindings(&opt.System.Idle, broken)
}

// compareFindings orders findings by severity, codeRank, the order in which policies decide, and rule.
func (l *linter) compareFindings(a, b model.Finding) int {
	return cmp.Or(a.Severity.Compare(b.Severity), cmp.Compare(codeRank(a.Code), codeRank(b.Code)), cmp.Compare(l.policyRank(a.Policy),
		l.policyRank(b.Policy)),
		a.Policy.Compare(b.Policy), cmp.Compare(a.Origin.File, b.Origin.File), cmp.Compare(a.Origin.Doc, b.Origin.Doc),
		cmp.Compare(a.Origin.Item, b.Origin.Item), cmp.Compare(directionRank(a.Direction), directionRank(b.Direction)),
		cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
}

// codeRank puts codes that affect the whole cluster before others of their severity.
func codeRank(code string) int {
	worst := []string{OpenToAll.Code, ClosedToAll.Code, DNSNotAllowed.Code}
	if i := slices.Index(worst, code); i >= 0 {
		return i
	}
	return len(worst)
}

// directionRank puts whole policies first, then ingress, then egress.
func directionRank(d model.Direction) int {
	return slices.Index([]model.Direction{"", model.Ingress, model.Egress}, d)
}

// policyRank returns a policy's place in the order; other objects come last.
func (l *linter) policyRank(k model.PolicyKey) int {
	if n, ok := l.order[k]; ok {
		return n
	}
	return len(l.order)
}

func (l *linter) addAbout(p *model.Policy, k *Kind, message string) *model.Finding {
	return l.addFinding(k, model.Finding{Policy: p.Key, Rule: -1, Message: message, Origin: p.Origin})
}

func (l *linter) addAboutRule(p *model.Policy, r *model.Rule, k *Kind, message string) *model.Finding {
	return l.addFinding(k, model.Finding{Policy: p.Key, Direction: r.Direction, Rule: r.Index, Message: message, Origin: p.Origin})
}

// addFinding adds a finding with the code, severity and remedy of its kind. Change it before the next.
func (l *linter) addFinding(k *Kind, f model.Finding) *model.Finding {
	f.Code, f.Severity, f.Remedy = k.Code, k.Severity, k.Remedy
	l.out = append(l.out, f)
	return &l.out[len(l.out)-1]
}

// shown is how many names a message lists before it counts the rest.
const shown = 3

func podName(p *model.Pod) string { return p.Namespace + "/" + p.Name }

// deniesWarning returns warning for a Deny rule, info for others.
func deniesWarning(r *model.Rule) model.Severity {
	if r.Action == model.Deny {
		return model.SeverityWarning
	}
	return model.SeverityInfo
}

// ruleText names a rule, with its policy unless that is from.
func ruleText(from, p *model.Policy, r *model.Rule) string {
	text := r.Direction.Lower() + " " + strconv.Itoa(r.Index)
	if from.Key != p.Key {
		text = p.Label() + " " + text
	}
	return text
}

// System is how a network plugin checks and orders policies. The zero System is OVN-Kubernetes.
type System struct {
	// Check returns all violations of the plugin's admission and documentation, Order the order of policies.
	// If Check is set, checks about OVN-Kubernetes' rows are not made.
	Check func(*model.Cluster) []model.Finding
	Order func(*model.Cluster) []ladder.Place
	Idle  IdlePolicies
}

// IdlePolicies are policies that decide nothing under a system.
type IdlePolicies struct {
	Kinds           []model.Kind
	Message, Remedy string
}

// checkTierPlaces checks a cluster whose policies have no rows.
func (l *linter) checkTierPlaces(s *System) {
	for i, p := range s.Order(l.c) {
		l.order[p.Policy.Key] = i
		if p.Policy.Tiered == nil {
			l.addInvalid(p.Policy)
		}
	}
	l.out = append(l.out, s.Check(l.c)...)
}

// finishFindings adds policies without effect under the system and unreadable objects, and sorts.
func (l *linter) finishFindings(idle *IdlePolicies, broken []model.Broken) []model.Finding {
	for _, k := range idle.Kinds {
		for p := range l.c.Policies(k) {
			l.addAbout(p, OtherSystem, idle.Message).Remedy = idle.Remedy
		}
	}
	for i := range broken {
		l.addBroken(&broken[i])
	}
	slices.SortStableFunc(l.out, l.compareFindings)
	return l.out
}
