package ladder

import (
	"encoding/json"

	"rung/model"
)

// MarshalJSON writes the form of `rung ladder -o json`, which is part of Rung's
// contract: policies of a rung are names. Lists are never null. What goes
// beyond the contract stands in keys of its own.
func (l *Ladder) MarshalJSON() ([]byte, error) {
	out := ladderJSON{MaxPriority: l.Max, Stage: l.Stage, Tiers: []tierJSON{}, Conflicts: []conflictJSON{},
		Truncated: l.Truncated, Broken: []brokenJSON{}}
	for i := range l.Tiers {
		out.Tiers = append(out.Tiers, l.Tiers[i].json(l.Stage))
	}
	for i := range l.Conflicts {
		c := &l.Conflicts[i]
		out.Conflicts = append(out.Conflicts, conflictJSON{Policies: [2]string{c.A.Name, c.B.Name}, Priority: c.Priority,
			Direction: c.Direction, Rule: c.Rule, Actions: [2]model.Action{c.ActionA, c.ActionB}, Witness: c.Witness})
	}
	for i := range l.Broken {
		b := &l.Broken[i]
		out.Broken = append(out.Broken, brokenJSON{Kind: b.Key.Kind, Namespace: b.Key.Namespace, Name: b.Key.Name,
			File: b.Origin.File, Line: b.Origin.Line, Field: b.Field, Code: b.Code, Message: b.Message})
	}
	return json.Marshal(out)
}

type ladderJSON struct {
	Tiers       []tierJSON     `json:"tiers"`
	MaxPriority int32          `json:"max_priority"`
	Stage       model.Stage    `json:"stage,omitempty"`
	Conflicts   []conflictJSON `json:"conflicts"`
	Truncated   bool           `json:"conflicts_truncated,omitempty"`
	Broken      []brokenJSON   `json:"broken"`
}

type tierJSON struct {
	Tier     int                `json:"tier"`
	Kind     model.Kind         `json:"kind"`
	Rungs    []rungJSON         `json:"rungs"`
	Gaps     []Gap              `json:"gaps"`
	Counts   map[model.Kind]int `json:"counts,omitempty"`
	Policies []rungPolicyJSON   `json:"objects,omitempty"`
	Units    []unitJSON         `json:"units,omitempty"`
}

// unitJSON is a unit of tier 2, in each stage where it decides.
type unitJSON struct {
	Kind      model.Kind      `json:"kind"`
	Namespace string          `json:"namespace,omitempty"`
	Name      string          `json:"name"`
	Stages    []unitStageJSON `json:"stages"`
}

// unitStageJSON are OVN priorities: the higher one decides first.
type unitStageJSON struct {
	Stage model.Stage `json:"stage"`
	First int         `json:"ovn_priority"`
	Last  int         `json:"last_ovn_priority"`
}

type rungJSON struct {
	Priority    int32            `json:"priority"`
	Policies    []string         `json:"policies"`
	Duplicate   bool             `json:"duplicate"`
	Unsupported bool             `json:"unsupported"`
	Conflict    bool             `json:"conflict"`
	Details     []rungPolicyJSON `json:"details"`
}

type rungPolicyJSON struct {
	Kind      model.Kind `json:"kind"`
	Namespace string     `json:"namespace,omitempty"`
	Name      string     `json:"name"`
	Subject   string     `json:"subject"`
	Ingress   RuleCount  `json:"ingress"`
	Egress    RuleCount  `json:"egress"`
}

type conflictJSON struct {
	Policies  [2]string       `json:"policies"`
	Priority  int32           `json:"priority"`
	Direction model.Direction `json:"direction"`
	Rule      int             `json:"rule"`
	Actions   [2]model.Action `json:"actions"`
	Witness   string          `json:"witness"`
}

type brokenJSON struct {
	Kind      model.Kind `json:"kind,omitempty"`
	Namespace string     `json:"namespace,omitempty"`
	Name      string     `json:"name,omitempty"`
	File      string     `json:"file,omitempty"`
	Line      int        `json:"line,omitempty"`
	Field     string     `json:"field,omitempty"`
	Code      string     `json:"code"`
	Message   string     `json:"message"`
}

func (t *Tier) json(only model.Stage) tierJSON {
	out := tierJSON{Tier: t.Tier, Kind: t.Kind, Rungs: []rungJSON{}, Gaps: append([]Gap{}, t.Gaps...), Counts: t.Counts}
	for i := range t.Rungs {
		r := &t.Rungs[i]
		rj := rungJSON{Priority: r.Priority, Policies: []string{}, Duplicate: r.Duplicate, Unsupported: r.Unsupported}
		for j := range r.Policies {
			rj.Policies = append(rj.Policies, r.Policies[j].Policy.Name)
			rj.Details = append(rj.Details, r.Policies[j].json())
			rj.Conflict = rj.Conflict || len(r.Policies[j].Conflicts) > 0
		}
		out.Rungs = append(out.Rungs, rj)
	}
	for i := range t.Policies {
		out.Policies = append(out.Policies, t.Policies[i].json())
	}
	for i := range t.Units {
		u := &t.Units[i]
		uj := unitJSON{Kind: u.Key.Kind, Namespace: u.Key.Namespace, Name: u.Key.Name, Stages: []unitStageJSON{}}
		for _, s := range u.Stages() {
			if first, last, _ := u.Range(s); only == "" || only == s {
				uj.Stages = append(uj.Stages, unitStageJSON{s, first, last})
			}
		}
		out.Units = append(out.Units, uj)
	}
	return out
}

func (r *RungPolicy) json() rungPolicyJSON {
	p := r.Policy
	return rungPolicyJSON{Kind: p.Kind, Namespace: p.Namespace, Name: p.Name, Subject: p.Subject.String(),
		Ingress: r.Ingress, Egress: r.Egress}
}
