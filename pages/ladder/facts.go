package ladder

import (
	"time"

	"rung/model"
	"rung/model/ladder"
	"rung/revision"
)

// Facts is the JSON of the ladder of OVN-Kubernetes (command-line.md#output): policies of a rung are names.
// Lists are never null. Additions to the contract have their own keys.
type Facts struct {
	Tiers       []tierFacts     `json:"tiers"`
	MaxPriority int32           `json:"max_priority"`
	Stage       model.Stage     `json:"stage,omitempty"`
	Conflicts   []conflictFacts `json:"conflicts"`
	Truncated   bool            `json:"conflicts_truncated,omitempty"`
	Broken      []brokenFacts   `json:"broken"`
}

// LiveFacts adds the states of the policies, and live rows without a policy, if databases are read.
type LiveFacts struct {
	Facts
	States []stateFacts        `json:"states"`
	Rows   []revision.RowGroup `json:"rows"`
}

type tierFacts struct {
	Tier     int                `json:"tier"`
	Kind     model.Kind         `json:"kind"`
	Rungs    []rungFacts        `json:"rungs"`
	Gaps     []ladder.Gap       `json:"gaps"`
	Counts   map[model.Kind]int `json:"counts,omitempty"`
	Policies []policyFacts      `json:"objects,omitempty"`
	Units    []unitFacts        `json:"units,omitempty"`
}

type rungFacts struct {
	Priority    int32         `json:"priority"`
	Policies    []string      `json:"policies"`
	Duplicate   bool          `json:"duplicate"`
	Unsupported bool          `json:"unsupported"`
	Idle        bool          `json:"idle,omitempty"` // CNPs without rows
	Conflict    bool          `json:"conflict"`
	Details     []policyFacts `json:"details"`
}

type policyFacts struct {
	Kind      model.Kind       `json:"kind"`
	Namespace string           `json:"namespace,omitempty"`
	Name      string           `json:"name"`
	Subject   string           `json:"subject"`
	Ingress   ladder.RuleCount `json:"ingress"`
	Egress    ladder.RuleCount `json:"egress"`
}

// unitFacts is a unit of tier 2, with the stages where it decides.
type unitFacts struct {
	Kind      model.Kind   `json:"kind"`
	Namespace string       `json:"namespace,omitempty"`
	Name      string       `json:"name"`
	Stages    []stageFacts `json:"stages"`
}

// stageFacts holds OVN priorities: the higher decides first.
type stageFacts struct {
	Stage model.Stage `json:"stage"`
	First int         `json:"ovn_priority"`
	Last  int         `json:"last_ovn_priority"`
}

type conflictFacts struct {
	Policies  [2]string       `json:"policies"`
	Priority  int32           `json:"priority"`
	Direction model.Direction `json:"direction"`
	Rule      int             `json:"rule"`
	Actions   [2]model.Action `json:"actions"`
	Witness   string          `json:"witness"`
}

type brokenFacts struct {
	Kind      model.Kind `json:"kind,omitempty"`
	Namespace string     `json:"namespace,omitempty"`
	Name      string     `json:"name,omitempty"`
	File      string     `json:"file,omitempty"`
	Line      int        `json:"line,omitempty"`
	Field     string     `json:"field,omitempty"`
	Code      string     `json:"code"`
	Message   string     `json:"message"`
}

// stateFacts is the state of a policy or unit over all zones.
type stateFacts struct {
	Policy string            `json:"policy"`
	State  model.PolicyState `json:"state"`
	Text   string            `json:"text"`
	InSync int               `json:"zones_in_sync"`
	Zones  int               `json:"zones"`
}

// NewFacts returns the facts of a ladder, of all stages or of one.
func NewFacts(l *ladder.Ladder) Facts {
	f := Facts{MaxPriority: l.Max, Stage: l.Stage, Truncated: l.Truncated, Conflicts: []conflictFacts{}, Broken: brokenPolicies(l)}
	for i := range l.Tiers {
		f.Tiers = append(f.Tiers, newTierFacts(&l.Tiers[i], l.Stage))
	}
	for i := range l.Conflicts {
		c := &l.Conflicts[i]
		f.Conflicts = append(f.Conflicts, conflictFacts{Policies: [2]string{c.A.Name, c.B.Name}, Priority: c.Priority, Direction: c.Direction,
			Rule: c.Rule, Actions: [2]model.Action{c.ActionA, c.ActionB}, Witness: c.Witness})
	}
	return f
}

// NewLiveFacts returns the facts of a ladder of a revision with databases.
func NewLiveFacts(r *revision.Revision, l *ladder.Ladder, now time.Time) LiveFacts {
	f := LiveFacts{Facts: NewFacts(l), States: []stateFacts{}, Rows: []revision.RowGroup{}}
	add := func(k model.Key) {
		if r.IsCompiled(k) {
			s := revision.SummarizePolicy(r, k, now)
			f.States = append(f.States, stateFacts{Policy: k.String(), State: s.State, Text: s.Text, InSync: s.InSync, Zones: s.Zones})
		}
	}
	for i := range l.Tiers {
		t := &l.Tiers[i]
		for j := range t.Rungs {
			for _, p := range t.Rungs[j].Policies {
				add(p.Policy.Key)
			}
		}
		for j := range t.Units {
			add(t.Units[j].Key)
		}
	}
	f.Rows = append(f.Rows, model.Filter(revision.FindLadderRows(r).Groups, func(g revision.RowGroup) bool {
		return l.Stage == "" || g.Stage == l.Stage
	})...)
	return f
}

// newTierFacts leaves out the stages of units other than only.
func newTierFacts(t *ladder.Tier, only model.Stage) tierFacts {
	f := tierFacts{Tier: t.Tier, Kind: t.Kind, Counts: t.Counts, Rungs: []rungFacts{}, Gaps: append([]ladder.Gap{}, t.Gaps...),
		Policies: listPolicyFacts(t.Policies)}
	for _, r := range t.Rungs {
		rung := rungFacts{Priority: r.Priority, Duplicate: r.Duplicate, Unsupported: r.Unsupported, Idle: r.Idle,
			Details: listPolicyFacts(r.Policies)}
		for _, p := range r.Policies {
			rung.Policies = append(rung.Policies, p.Policy.Name)
			rung.Conflict = rung.Conflict || len(p.Conflicts) > 0
		}
		f.Rungs = append(f.Rungs, rung)
	}
	for i := range t.Units {
		u := &t.Units[i]
		unit := unitFacts{Kind: u.Key.Kind, Namespace: u.Key.Namespace, Name: u.Key.Name, Stages: []stageFacts{}}
		for _, s := range u.Stages() {
			if first, last, _ := u.PriorityRange(s); only == "" || only == s {
				unit.Stages = append(unit.Stages, stageFacts{Stage: s, First: first, Last: last})
			}
		}
		f.Units = append(f.Units, unit)
	}
	return f
}

func listPolicyFacts(all []ladder.RungPolicy) []policyFacts {
	return model.MapList(all, newPolicyFacts)
}

// PlacedPolicy is a policy with its tier and priority, for a plain list of policies.
type PlacedPolicy struct {
	Tier     any      `json:"tier"`
	Priority *float64 `json:"priority,omitempty"`
	policyFacts
}

// Key returns the policy's key.
func (p PlacedPolicy) Key() model.PolicyKey {
	return model.PolicyKey{Kind: p.Kind, Namespace: p.Namespace, Name: p.Name}
}

// PlacedPolicies returns the policies in order.
func (f Facts) PlacedPolicies() []PlacedPolicy {
	out := []PlacedPolicy{}
	for _, t := range f.Tiers {
		for _, r := range t.Rungs {
			priority := float64(r.Priority)
			for _, p := range r.Details {
				placed := PlacedPolicy{Tier: t.Tier, policyFacts: p}
				if p.Kind.HasPriority() {
					placed.Priority = &priority
				}
				out = append(out, placed)
			}
		}
		for _, p := range t.Policies {
			out = append(out, PlacedPolicy{Tier: t.Tier, policyFacts: p})
		}
	}
	return out
}

// PlacedPolicies returns the policies in order.
func (f BandFacts) PlacedPolicies() []PlacedPolicy {
	out := []PlacedPolicy{}
	for _, b := range f.Bands {
		for _, p := range b.Policies {
			placed := PlacedPolicy{Tier: b.Name, policyFacts: p.policyFacts}
			if p.Kind.IsTiered() {
				placed.Priority = &p.Priority
			}
			out = append(out, placed)
		}
	}
	return out
}

func newPolicyFacts(r ladder.RungPolicy) policyFacts {
	p := r.Policy
	return policyFacts{Kind: p.Kind, Namespace: p.Namespace, Name: p.Name, Subject: p.SubjectText(), Ingress: r.Ingress, Egress: r.Egress}
}

func brokenPolicies(l *ladder.Ladder) []brokenFacts {
	return model.MapList(l.Broken, func(b model.Broken) brokenFacts {
		return brokenFacts{Kind: b.Key.Kind, Namespace: b.Key.Namespace, Name: b.Key.Name, File: b.Origin.File, Line: b.Origin.Line,
			Field: b.Field, Code: b.Code, Message: b.Message}
	})
}

// BandFacts is the JSON of the ladder of a plugin with its own tiers. Lists are never null.
type BandFacts struct {
	System model.PolicySystem `json:"system"`
	Why    string             `json:"system_why"`
	Bands  []bandFacts        `json:"bands"`
	Broken []brokenFacts      `json:"broken"`
}

type bandFacts struct {
	Name string `json:"name"`
	// Priority is the tier's, absent for NetworkPolicies.
	Priority int32             `json:"tier_priority,omitempty"`
	Tier     bool              `json:"tier"`
	Static   bool              `json:"static"`
	Missing  bool              `json:"missing,omitempty"`
	Policies []bandPolicyFacts `json:"policies"`
}

type bandPolicyFacts struct {
	policyFacts
	Priority float64 `json:"priority,omitempty"`
	Tied     bool    `json:"tied"`
	Pods     int     `json:"pods"`
	Refused  bool    `json:"refused,omitempty"`
	// NotJudged says why Rung does not judge a valid policy.
	NotJudged string `json:"not_judged,omitempty"`
	Phase     string `json:"phase,omitempty"`
}

// NewBandFacts returns the BandFacts of a revision, with the policies to keep.
func NewBandFacts(r *revision.Revision, keep func(model.Key) bool) BandFacts {
	f := BandFacts{System: r.System.Name, Why: r.SystemWhy, Bands: []bandFacts{}, Broken: brokenPolicies(r.Ladder())}
	for _, b := range revision.LadderBands(r) {
		band := bandFacts{Name: b.Name, Priority: b.Priority, Tier: b.Tier != nil, Static: b.Tier != nil && b.Tier.Static, Missing: b.Missing,
			Policies: []bandPolicyFacts{}}
		if b.Name == string(model.KindNP) {
			band.Priority = 0
		}
		for i := range b.Rungs {
			for _, p := range b.Rungs[i].Policies {
				if !keep(p.Policy.Key) {
					continue
				}
				o := bandPolicyFacts{policyFacts: newPolicyFacts(p), Priority: b.Rungs[i].Priority, Tied: b.Rungs[i].Tied,
					Pods: revision.CountSubjects(r, p.Policy.Key).Pods}
				o.Refused, o.NotJudged = revision.WhyUnjudged(r, p.Policy).Facts()
				if a := p.Policy.Tiered; a != nil {
					o.Phase = a.Phase
				}
				band.Policies = append(band.Policies, o)
			}
		}
		f.Bands = append(f.Bands, band)
	}
	return f
}
