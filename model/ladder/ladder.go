package ladder

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/network"
	"rung/model/selectors"
)

// KindIsolation stands for tier 0 on the ladder: rows of OVN-Kubernetes itself
// (user-defined network isolation and the like), which are no policies.
const KindIsolation model.Kind = "Isolation"

// Ladder is everything that decides, in the order in which it decides.
type Ladder struct {
	// Max is the lowest precedence that is enforced.
	Max   int32
	Tiers []Tier // 0 to 3
	// Stage is the one stage the ladder is narrowed to, "" for all together.
	Stage model.Stage
	// Conflicts are the duplicates whose rules really disagree now, by priority
	// and policy. Truncated says that there are more than are listed.
	Conflicts []RuleConflict
	Truncated bool
	// Broken are policies (and objects of unknown kind) that could not be read, not
	// what is none of Rung's business.
	Broken []model.Broken
}

// Tier is one tier. Tier 1 has a rung per priority in use and the gaps
// between; tier 3 has one for each priority of ClusterNetworkPolicies and, last, that of
// the BaselineAdminNetworkPolicy; tier 2 has units, whose order is that of their
// OVN priorities within a stage; the ladder holds no objects of tier 0: what
// decides there is known from live rows alone.
type Tier struct {
	Tier  int
	Kind  model.Kind
	Rungs []Rung // of tier 1: unsupported ones last
	Gaps  []Gap
	// Policies of tier 2 by kind, namespace and name; Counts how many there are
	// of each kind.
	Policies []RungPolicy
	Counts   map[model.Kind]int
	// Units of tier 2 as they decide where they share a stage, Namespaces the
	// same by namespace.
	Units      []Unit
	Namespaces []NamespaceUnits
}

// Rung is one priority and the policies that hold it, by name.
type Rung struct {
	Priority int32
	Policies []RungPolicy
	// Duplicate says that several policies hold it, Unsupported that it is
	// above the supported range: its policies are not enforced. Idle are the
	// ClusterNetworkPolicies of a priority that nobody makes rows of: they hold no
	// priority, whatever it is, and decide nothing.
	Duplicate   bool
	Unsupported bool
	Idle        bool
}

// IsEnforced says whether the policies of a rung have rows, as far as its priority says.
func (r *Rung) IsEnforced() bool { return !r.Unsupported && !r.Idle }

// TopPriority is the OVN priority of the first row of a rung of tier 1 or 3; the higher
// one decides first.
func (t *Tier) TopPriority(r *Rung) int { return RowPriority(r.Policies[0].Policy, 0) }

// RungPolicy is a policy on the ladder.
type RungPolicy struct {
	Policy  *model.Policy
	Ingress RuleCount
	Egress  RuleCount
	// Conflicts are indexes into Ladder.Conflicts.
	Conflicts []int
}

// RuleCount counts the rules of one direction by action.
type RuleCount struct {
	Allow int `json:"allow"`
	Deny  int `json:"deny"`
	Pass  int `json:"pass"`
}

// CountRules counts the rules by action.
func CountRules(rules []model.Rule) (n RuleCount) {
	for i := range rules {
		switch rules[i].Action {
		case model.Allow:
			n.Allow++
		case model.Deny:
			n.Deny++
		case model.Pass:
			n.Pass++
		}
	}
	return n
}

// String is "3A 1P 1D", or "–" without rules.
func (n RuleCount) String() string {
	var parts []string
	for _, c := range []struct {
		n    int
		mark string
	}{{n.Allow, "A"}, {n.Pass, "P"}, {n.Deny, "D"}} {
		if c.n > 0 {
			parts = append(parts, strconv.Itoa(c.n)+c.mark)
		}
	}
	if len(parts) == 0 {
		return "–"
	}
	return strings.Join(parts, " ")
}

// Gap is a run of free priorities, both ends included.
type Gap struct {
	From int32 `json:"from"`
	To   int32 `json:"to"`
}

// FreeCount is how many priorities are free.
func (g Gap) FreeCount() int { return int(g.To-g.From) + 1 }

// String is "35–39", or "57" where there is one.
func (g Gap) String() string {
	if g.From == g.To {
		return strconv.Itoa(int(g.From))
	}
	return strconv.Itoa(int(g.From)) + "–" + strconv.Itoa(int(g.To))
}

// FreeGaps are the runs of priorities from 0 to the largest supported one that none
// of the given ones takes; the order of used does not matter.
func FreeGaps(used []int32, largest int32) []Gap {
	used = slices.Clone(used)
	slices.Sort(used)
	var gaps []Gap
	next := int32(0)
	for _, p := range used {
		if p > largest {
			break
		}
		if p > next {
			gaps = append(gaps, Gap{next, p - 1})
		}
		next = max(next, p+1)
	}
	if next <= largest {
		gaps = append(gaps, Gap{next, largest})
	}
	return gaps
}

// Options shape a ladder; the zero value is usable.
type Options struct {
	// Max is the largest supported priority, MaxPriority when 0.
	Max int32
	// CNP says that ClusterNetworkPolicies are compiled.
	CNP bool
	// Broken objects of the sources; those that may be policies are listed.
	Broken []model.Broken
	// Index of the same cluster, made when nil and needed.
	Index *selectors.PodIndex
	// Networks are the networks besides the default one; Elsewhere says that the cluster is shown as it stands on
	// one of them, where no priority is free since AdminNetworkPolicies are not enforced there.
	Networks  *network.Table
	Elsewhere bool
	// Units that are compiled; those that follow from no policy (hairpin, nodes,
	// multicast of the cluster) are on the ladder only when they are here.
	Units []model.Key
	// LegacyIsolation shows the namespaces that the isolation annotation of 2016 isolates
	// (older-forms.md#the-isolation-annotation-of-2016).
	LegacyIsolation bool
}

// New builds the ladder of a cluster.
func New(c *model.Cluster, opt Options) *Ladder {
	if opt.Max == 0 {
		opt.Max = model.MaxPriority
	}
	l := &Ladder{Max: opt.Max, Tiers: []Tier{{Tier: model.TierIsolation, Kind: KindIsolation},
		{Tier: model.TierAdmin, Kind: model.KindANP}, {Tier: model.TierNetwork, Kind: model.KindNP},
		{Tier: model.TierBaseline, Kind: model.KindBANP}}}
	for _, b := range opt.Broken {
		if b.Severity != model.SeverityInfo && (b.Key.Kind == "" || b.Key.Kind.IsPolicy()) {
			l.Broken = append(l.Broken, b)
		}
	}
	tiers := [...][]*model.Policy{1: slices.Collect(c.Policies(model.KindANP)), 3: slices.Collect(c.Policies(model.KindBANP))}
	for p := range c.Policies(model.KindCNP) {
		tiers[p.Tier] = append(tiers[p.Tier], p)
	}
	l.Tiers[1].Rungs, l.Tiers[3].Rungs = rungsOf(tiers[1], opt), rungsOf(tiers[3], opt)
	var used []int32
	for _, r := range l.Tiers[1].Rungs {
		if !r.Idle {
			used = append(used, r.Priority)
		}
	}
	if !opt.Elsewhere {
		l.Tiers[1].Gaps = FreeGaps(used, opt.Max)
	}
	l.Tiers[2].fillUnits(c, opt)
	l.findConflicts(c, opt.Index)
	return l
}

// RungPolicyOf is a policy with its rules counted.
func RungPolicyOf(p *model.Policy) RungPolicy {
	return RungPolicy{Policy: p, Ingress: CountRules(p.Ingress), Egress: CountRules(p.Egress)}
}

// rungsOf groups the policies of a tier by their rows' priority.
func rungsOf(policies []*model.Policy, opt Options) []Rung {
	slices.SortFunc(policies, ComparePolicies)
	var rungs []Rung
	for _, p := range policies {
		idle := p.Kind == model.KindCNP && !opt.CNP
		if n := len(rungs); n == 0 || rungs[n-1].Idle != idle ||
			RowPriority(rungs[n-1].Policies[0].Policy, 0) != RowPriority(p, 0) {
			rungs = append(rungs, Rung{Priority: p.Priority, Unsupported: p.Kind.HasPriority() && p.Priority > opt.Max, Idle: idle})
		}
		r := &rungs[len(rungs)-1]
		r.Policies = append(r.Policies, RungPolicyOf(p))
		r.Duplicate = len(r.Policies) > 1 && !idle
	}
	return rungs
}

// RungAt returns the rung of tier 1 that holds a priority or nil when it is free.
func (l *Ladder) RungAt(priority int32) *Rung {
	_, at, _ := l.RungsAround(priority)
	return at
}

// RungsAround finds the rungs of tier 1 that hold a priority and are next to it; nil where there is none.
func (l *Ladder) RungsAround(priority int32) (above, at, below *Rung) {
	rungs := l.Tiers[model.TierAdmin].Rungs
	for i := range rungs {
		switch r := &rungs[i]; {
		case r.Idle:
		case r.Priority < priority:
			above = r
		case r.Priority == priority:
			at = r
		default:
			return above, at, r
		}
	}
	return above, at, nil
}

// ComparePolicies orders policies as they decide: by tier, priority, kind,
// namespace and name. Between policies of one priority, and within tier 2, the
// order is only for display.
func ComparePolicies(a, b *model.Policy) int {
	return cmp.Or(cmp.Compare(a.Tier, b.Tier), cmp.Compare(placeInTier(a), placeInTier(b)),
		cmp.Compare(kindRank(a.Kind), kindRank(b.Kind)), a.Key.Compare(b.Key))
}

// placeInTier is a priority, and for the baseline behind all of its tier.
func placeInTier(p *model.Policy) int32 {
	if p.Kind == model.KindBANP {
		return math.MaxInt32
	}
	return p.Priority
}

// kindRank puts NetworkPolicies before EgressFirewalls.
func kindRank(k model.Kind) int {
	return slices.Index([]model.Kind{model.KindANP, model.KindCNP, model.KindNP, model.KindMNP, model.KindEF, model.KindBANP}, k)
}

// PolicyOrder is all policies of the cluster as they decide (see ComparePolicies).
func PolicyOrder(c *model.Cluster) []model.PolicyKey {
	policies := slices.SortedFunc(c.AllPolicies(), ComparePolicies)
	keys := make([]model.PolicyKey, len(policies))
	for i, p := range policies {
		keys[i] = p.Key
	}
	return keys
}
