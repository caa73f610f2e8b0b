package model

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// KindIsolation stands for tier 0 on the ladder: rows of OVN-Kubernetes itself
// (user-defined network isolation and the like), which are no policies.
const KindIsolation Kind = "Isolation"

// Ladder is everything that decides, in the order in which it decides.
type Ladder struct {
	// Max is the lowest precedence that is enforced.
	Max   int32
	Tiers []LadderTier // 0 to 3
	// Stage is the one stage the ladder is narrowed to, "" for all together.
	Stage Stage
	// Conflicts are the duplicates whose rules really disagree now, by priority
	// and policy. Truncated says that there are more than are listed.
	Conflicts []Conflict
	Truncated bool
	// Broken are policies (and objects of unknown kind) that could not be read.
	Broken []Broken
}

// LadderTier is one tier. Tier 1 has a rung per priority in use and the gaps
// between; tier 3 has one rung; tier 2 has units, whose order is that of their
// OVN priorities within a stage; the ladder holds no objects of tier 0: what
// decides there is known from live rows alone.
type LadderTier struct {
	Tier  int
	Kind  Kind
	Rungs []Rung // unsupported ones last
	Gaps  []Gap
	// Policies of tier 2 by kind, namespace and name; Counts how many there are
	// of each kind.
	Policies []RungPolicy
	Counts   map[Kind]int
	// Units of tier 2 as they decide where they share a stage, Namespaces the
	// same by namespace.
	Units      []Unit
	Namespaces []LadderNamespace
}

// Rung is one priority and the policies that hold it, by name.
type Rung struct {
	Priority int32
	Policies []RungPolicy
	// Duplicate says that several policies hold it, Unsupported that it is
	// above the supported range: its policies are not enforced.
	Duplicate   bool
	Unsupported bool
}

// RungPolicy is a policy on the ladder.
type RungPolicy struct {
	Policy  *Policy
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
func CountRules(rules []Rule) (n RuleCount) {
	for i := range rules {
		switch rules[i].Action {
		case Allow:
			n.Allow++
		case Deny:
			n.Deny++
		case Pass:
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

// Len is how many priorities are free.
func (g Gap) Len() int { return int(g.To-g.From) + 1 }

// Gaps are the runs of priorities from 0 to the largest supported one that none
// of the given ones takes; the order of used does not matter.
func Gaps(used []int32, largest int32) []Gap {
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

// LadderOptions shape a ladder; the zero value is usable.
type LadderOptions struct {
	// Max is the largest supported priority, MaxPriority when 0.
	Max int32
	// Broken objects of the sources; those that may be policies are listed.
	Broken []Broken
	// Index of the same cluster, made when nil and needed.
	Index *PodIndex
	// Units that are compiled; those that follow from no policy (hairpin, nodes,
	// multicast of the cluster) are on the ladder only when they are here.
	Units []Key
}

// NewLadder builds the ladder of a cluster.
func NewLadder(c *Cluster, opt LadderOptions) *Ladder {
	if opt.Max == 0 {
		opt.Max = MaxPriority
	}
	l := &Ladder{Max: opt.Max, Tiers: []LadderTier{{Tier: TierIsolation, Kind: KindIsolation},
		{Tier: TierAdmin, Kind: KindANP}, {Tier: TierNetwork, Kind: KindNP}, {Tier: TierBaseline, Kind: KindBANP}}}
	for _, b := range opt.Broken {
		if b.Key.Kind == "" || b.Key.Kind.IsPolicy() {
			l.Broken = append(l.Broken, b)
		}
	}
	l.Tiers[1].Rungs = rungsOf(slices.Collect(c.Policies(KindANP)), opt.Max)
	l.Tiers[3].Rungs = rungsOf(slices.Collect(c.Policies(KindBANP)), opt.Max)
	var used []int32
	for _, r := range l.Tiers[1].Rungs {
		used = append(used, r.Priority)
	}
	l.Tiers[1].Gaps = Gaps(used, opt.Max)
	l.Tiers[2].tier2(c, opt.Units)
	l.findConflicts(c, opt.Index)
	return l
}

func onRung(p *Policy) RungPolicy {
	return RungPolicy{Policy: p, Ingress: CountRules(p.Ingress), Egress: CountRules(p.Egress)}
}

// rungsOf groups the policies by priority.
func rungsOf(policies []*Policy, largest int32) []Rung {
	slices.SortFunc(policies, ComparePolicies)
	var rungs []Rung
	for _, p := range policies {
		if n := len(rungs); n == 0 || rungs[n-1].Priority != p.Priority {
			rungs = append(rungs, Rung{Priority: p.Priority, Unsupported: p.Tier == TierAdmin && p.Priority > largest})
		}
		r := &rungs[len(rungs)-1]
		r.Policies = append(r.Policies, onRung(p))
		r.Duplicate = len(r.Policies) > 1
	}
	return rungs
}

// Rung returns the rung of tier 1 with that priority or nil when it is free.
func (l *Ladder) Rung(priority int32) *Rung {
	rungs := l.Tiers[TierAdmin].Rungs
	i, ok := slices.BinarySearchFunc(rungs, priority, func(r Rung, p int32) int { return cmp.Compare(r.Priority, p) })
	if !ok {
		return nil
	}
	return &rungs[i]
}

// ConflictsOf are the conflicts a policy takes part in.
func (l *Ladder) ConflictsOf(k PolicyKey) []Conflict {
	var out []Conflict
	for _, c := range l.Conflicts {
		if c.A == k || c.B == k {
			out = append(out, c)
		}
	}
	return out
}

// ComparePolicies orders policies as they decide: by tier, priority, kind,
// namespace and name. Between policies of one priority, and within tier 2, the
// order is only for display.
func ComparePolicies(a, b *Policy) int {
	return cmp.Or(cmp.Compare(a.Tier, b.Tier), cmp.Compare(a.Priority, b.Priority),
		cmp.Compare(kindRank(a.Kind), kindRank(b.Kind)), a.Key.Compare(b.Key))
}

// kindRank puts NetworkPolicies before EgressFirewalls.
func kindRank(k Kind) int { return slices.Index([]Kind{KindANP, KindNP, KindEF, KindBANP}, k) }

// Order is all policies of the cluster as they decide (see ComparePolicies).
func Order(c *Cluster) []PolicyKey {
	policies := slices.SortedFunc(c.AllPolicies(), ComparePolicies)
	keys := make([]PolicyKey, len(policies))
	for i, p := range policies {
		keys[i] = p.Key
	}
	return keys
}
