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

// KindIsolation is tier 0 on the ladder: OVN-Kubernetes' own rows, such as those that isolate user-defined
// networks. They belong to no policy.
const KindIsolation model.Kind = "Isolation"

// Ladder is everything that decides, in deciding order.
type Ladder struct {
	// Max is the largest enforced priority number.
	Max   int32
	Tiers []Tier // 0 to 3
	// Stage is the only stage shown, "" for all stages.
	Stage model.Stage
	// Conflicts are the duplicates whose rules disagree now, by priority and policy. Truncated reports that
	// more exist.
	Conflicts []RuleConflict
	Truncated bool
	// Broken are unreadable policies and objects of unknown kind, without kinds that Rung ignores.
	Broken []model.Broken
}

// Tier is one tier. Tier 1 has a rung for each priority in use, and the gaps between them. Tier 3 has one for
// each priority of ClusterNetworkPolicies and a last one for the BaselineAdminNetworkPolicy. Tier 2 has units,
// ordered by OVN priority within a stage. Tier 0 is empty: only live rows show what decides there.
type Tier struct {
	Tier  int
	Kind  model.Kind
	Rungs []Rung // of tier 1: unsupported ones last
	Gaps  []Gap
	// Policies of tier 2 by kind, namespace and name; Counts counts them by kind.
	Policies []RungPolicy
	Counts   map[model.Kind]int
	// Units of tier 2 in deciding order within a shared stage; Namespaces groups them by namespace.
	Units      []Unit
	Namespaces []NamespaceUnits
}

// Rung is one priority and its policies, by name.
type Rung struct {
	Priority int32
	Policies []RungPolicy
	// Duplicate reports several policies. Unsupported reports a priority above the supported range, whose
	// policies are not enforced. Idle marks ClusterNetworkPolicies without a controller: they have no rows,
	// occupy no priority and decide nothing.
	Duplicate   bool
	Unsupported bool
	Idle        bool
}

// IsEnforced reports whether the policies of a rung may have rows: with a supported priority, and not Idle.
func (r *Rung) IsEnforced() bool { return !r.Unsupported && !r.Idle }

// TopPriority returns the OVN priority of the first row of a rung in tier 1 or 3; the higher decides first.
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

// String returns "3A 1P 1D", or "–" without rules.
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

// FreeCount returns the number of free priorities.
func (g Gap) FreeCount() int { return int(g.To-g.From) + 1 }

// String returns "35–39", or "57" for a single priority.
func (g Gap) String() string {
	if g.From == g.To {
		return strconv.Itoa(int(g.From))
	}
	return strconv.Itoa(int(g.From)) + "–" + strconv.Itoa(int(g.To))
}

// FreeGaps returns the runs of unused priorities from 0 to the largest supported one, in order. used need not
// be sorted.
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
	// Max is the largest supported priority, MaxPriority if 0.
	Max int32
	// CNP reports that ClusterNetworkPolicies are compiled.
	CNP bool
	// Broken are broken objects of the sources; possible policies are listed.
	Broken []model.Broken
	// Index is the index of the same cluster; nil to make one when needed.
	Index *selectors.PodIndex
	// Networks holds the non-default networks. With Elsewhere, the ladder is that of such a network:
	// it has no free priorities, since AdminNetworkPolicies do not apply there.
	Networks  *network.Table
	Elsewhere bool
	// Units lists the compiled units. Units that belong to no policy (hairpin, nodes, multicast of the
	// cluster) are on the ladder only if listed here.
	Units []model.Key
	// LegacyIsolation shows the namespaces isolated by the annotation of 2016
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
	l.Tiers[1].Rungs, l.Tiers[3].Rungs = groupRungs(tiers[1], opt), groupRungs(tiers[3], opt)
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

// NewRungPolicy returns a policy with its rules counted.
func NewRungPolicy(p *model.Policy) RungPolicy {
	return RungPolicy{Policy: p, Ingress: CountRules(p.Ingress), Egress: CountRules(p.Egress)}
}

// groupRungs groups the policies of a tier by the priority of their rows.
func groupRungs(policies []*model.Policy, opt Options) []Rung {
	slices.SortFunc(policies, ComparePolicies)
	var rungs []Rung
	for _, p := range policies {
		idle := p.Kind == model.KindCNP && !opt.CNP
		if n := len(rungs); n == 0 || rungs[n-1].Idle != idle ||
			RowPriority(rungs[n-1].Policies[0].Policy, 0) != RowPriority(p, 0) {
			rungs = append(rungs, Rung{Priority: p.Priority, Unsupported: p.Kind.HasPriority() && p.Priority > opt.Max, Idle: idle})
		}
		r := &rungs[len(rungs)-1]
		r.Policies = append(r.Policies, NewRungPolicy(p))
		r.Duplicate = len(r.Policies) > 1 && !idle
	}
	return rungs
}

// RungAt returns the rung of tier 1 with a priority, or nil if the priority is free.
func (l *Ladder) RungAt(priority int32) *Rung {
	_, at, _ := l.RungsAround(priority)
	return at
}

// RungsAround returns the rungs of tier 1 before, at and after a priority, each nil if missing.
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

// ComparePolicies orders policies as they decide: by tier, priority, kind, namespace and name. For policies of
// equal priority, and within tier 2, the order is only for display.
func ComparePolicies(a, b *model.Policy) int {
	return cmp.Or(cmp.Compare(a.Tier, b.Tier), cmp.Compare(placeInTier(a), placeInTier(b)),
		cmp.Compare(kindRank(a.Kind), kindRank(b.Kind)), a.Key.Compare(b.Key))
}

// placeInTier returns the priority of a policy; the baseline comes last in its tier.
func placeInTier(p *model.Policy) int32 {
	if p.Kind == model.KindBANP {
		return math.MaxInt32
	}
	return p.Priority
}

// kindRank sorts NetworkPolicies before EgressFirewalls.
func kindRank(k model.Kind) int {
	return slices.Index([]model.Kind{model.KindANP, model.KindCNP, model.KindNP, model.KindMNP, model.KindEF, model.KindBANP}, k)
}

// PolicyOrder returns all policies of the cluster in deciding order (see ComparePolicies).
func PolicyOrder(c *model.Cluster) []model.PolicyKey {
	policies := slices.SortedFunc(c.AllPolicies(), ComparePolicies)
	keys := make([]model.PolicyKey, len(policies))
	for i, p := range policies {
		keys[i] = p.Key
	}
	return keys
}
