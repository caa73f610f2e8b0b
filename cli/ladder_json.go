package cli

import (
	"time"

	"rung/model"
	"rung/model/ladder"
	"rung/revision"
	"rung/revision/liverows"
	"rung/revision/policies"
)

// ladderOut is the JSON of `rung ladder` (command-line.md#output): policies of a rung
// are names. Lists are never null. What goes beyond the contract stands in keys of its
// own.
type ladderOut struct {
	Tiers       []tierOut     `json:"tiers"`
	MaxPriority int32         `json:"max_priority"`
	Stage       model.Stage   `json:"stage,omitempty"`
	Conflicts   []conflictOut `json:"conflicts"`
	Truncated   bool          `json:"conflicts_truncated,omitempty"`
	Broken      []brokenOut   `json:"broken"`
}

// ladderLiveOut is the ladder beside databases: with the states of the policies, and
// the live rows that no policy stands for.
type ladderLiveOut struct {
	ladderOut
	States []stateOut    `json:"states"`
	Rows   []rowGroupOut `json:"rows"`
}

type tierOut struct {
	Tier     int                `json:"tier"`
	Kind     model.Kind         `json:"kind"`
	Rungs    []rungOut          `json:"rungs"`
	Gaps     []gapOut           `json:"gaps"`
	Counts   map[model.Kind]int `json:"counts,omitempty"`
	Policies []rungPolicyOut    `json:"objects,omitempty"`
	Units    []ladderUnitOut    `json:"units,omitempty"`
}

type rungOut struct {
	Priority    int32           `json:"priority"`
	Policies    []string        `json:"policies"`
	Duplicate   bool            `json:"duplicate"`
	Unsupported bool            `json:"unsupported"`
	Idle        bool            `json:"idle,omitempty"` // CNPs that nobody makes rows of
	Conflict    bool            `json:"conflict"`
	Details     []rungPolicyOut `json:"details"`
}

type rungPolicyOut struct {
	Kind      model.Kind `json:"kind"`
	Namespace string     `json:"namespace,omitempty"`
	Name      string     `json:"name"`
	Subject   string     `json:"subject"`
	Ingress   countsOut  `json:"ingress"`
	Egress    countsOut  `json:"egress"`
}

// countsOut are rules, or rows, by action.
type countsOut struct {
	Allow int `json:"allow"`
	Deny  int `json:"deny"`
	Pass  int `json:"pass"`
}

// gapOut is a run of free priorities, both ends included.
type gapOut struct {
	From int32 `json:"from"`
	To   int32 `json:"to"`
}

// ladderUnitOut is a unit of tier 2, in each stage where it decides.
type ladderUnitOut struct {
	Kind      model.Kind     `json:"kind"`
	Namespace string         `json:"namespace,omitempty"`
	Name      string         `json:"name"`
	Stages    []unitStageOut `json:"stages"`
}

// unitStageOut are OVN priorities: the higher one decides first.
type unitStageOut struct {
	Stage model.Stage `json:"stage"`
	First int         `json:"ovn_priority"`
	Last  int         `json:"last_ovn_priority"`
}

type conflictOut struct {
	Policies  [2]string       `json:"policies"`
	Priority  int32           `json:"priority"`
	Direction model.Direction `json:"direction"`
	Rule      int             `json:"rule"`
	Actions   [2]model.Action `json:"actions"`
	Witness   string          `json:"witness"`
}

type brokenOut struct {
	Kind      model.Kind `json:"kind,omitempty"`
	Namespace string     `json:"namespace,omitempty"`
	Name      string     `json:"name,omitempty"`
	File      string     `json:"file,omitempty"`
	Line      int        `json:"line,omitempty"`
	Field     string     `json:"field,omitempty"`
	Code      string     `json:"code"`
	Message   string     `json:"message"`
}

// stateOut is a policy or unit over all zones.
type stateOut struct {
	Policy string            `json:"policy"`
	State  model.PolicyState `json:"state"`
	Text   string            `json:"text"`
	InSync int               `json:"zones_in_sync"`
	Zones  int               `json:"zones"`
}

// rowGroupOut are live rows that no policy stands for.
type rowGroupOut struct {
	Tier     int         `json:"tier"`
	Stage    model.Stage `json:"stage"`
	Priority int         `json:"ovn_priority"`
	Last     int         `json:"last_ovn_priority"`
	Owner    string      `json:"owner"`
	Form     string      `json:"form"`
	Gone     bool        `json:"gone,omitempty"`
	Rows     int         `json:"rows"`
	Actions  countsOut   `json:"actions"`
	Zones    []string    `json:"zones"`
}

func describeLadder(l *ladder.Ladder) ladderOut {
	return ladderOut{MaxPriority: l.Max, Stage: l.Stage, Truncated: l.Truncated,
		Tiers: each(l.Tiers, func(t ladder.Tier) tierOut { return describeTier(&t, l.Stage) }),
		Conflicts: each(l.Conflicts, func(c ladder.Conflict) conflictOut {
			return conflictOut{Policies: [2]string{c.A.Name, c.B.Name}, Priority: c.Priority, Direction: c.Direction,
				Rule: c.Rule, Actions: [2]model.Action{c.ActionA, c.ActionB}, Witness: c.Witness}
		}),
		Broken: each(l.Broken, func(b model.Broken) brokenOut {
			return brokenOut{Kind: b.Key.Kind, Namespace: b.Key.Namespace, Name: b.Key.Name,
				File: b.Origin.File, Line: b.Origin.Line, Field: b.Field, Code: b.Code, Message: b.Message}
		})}
}

// describeTier leaves out the stages of units that are not the one asked for.
func describeTier(t *ladder.Tier, only model.Stage) tierOut {
	out := tierOut{Tier: t.Tier, Kind: t.Kind, Counts: t.Counts, Rungs: each(t.Rungs, describeRung),
		Gaps:     each(t.Gaps, func(g ladder.Gap) gapOut { return gapOut(g) }),
		Policies: each(t.Policies, describeRungPolicy)}
	for i := range t.Units {
		u := &t.Units[i]
		o := ladderUnitOut{Kind: u.Key.Kind, Namespace: u.Key.Namespace, Name: u.Key.Name, Stages: []unitStageOut{}}
		for _, s := range u.Stages() {
			if first, last, _ := u.Range(s); only == "" || only == s {
				o.Stages = append(o.Stages, unitStageOut{Stage: s, First: first, Last: last})
			}
		}
		out.Units = append(out.Units, o)
	}
	return out
}

func describeRung(r ladder.Rung) rungOut {
	out := rungOut{Priority: r.Priority, Duplicate: r.Duplicate, Unsupported: r.Unsupported, Idle: r.Idle,
		Details:  each(r.Policies, describeRungPolicy),
		Policies: each(r.Policies, func(p ladder.RungPolicy) string { return p.Policy.Name })}
	for _, p := range r.Policies {
		out.Conflict = out.Conflict || len(p.Conflicts) > 0
	}
	return out
}

func describeRungPolicy(r ladder.RungPolicy) rungPolicyOut {
	p := r.Policy
	return rungPolicyOut{Kind: p.Kind, Namespace: p.Namespace, Name: p.Name, Subject: p.Subject.String(),
		Ingress: countsOut(r.Ingress), Egress: countsOut(r.Egress)}
}

func describeRowGroups(r *revision.Revision, stage model.Stage) []rowGroupOut {
	out := []rowGroupOut{}
	for _, g := range liverows.FindLadderRows(r).Groups {
		if stage == "" || g.Stage == stage {
			out = append(out, rowGroupOut{Tier: g.Tier, Stage: g.Stage, Priority: g.Priority, Last: g.Last, Owner: g.Label,
				Form: g.Form.String(), Gone: g.Gone, Rows: g.Rows, Actions: countsOut(g.Actions), Zones: g.Zones})
		}
	}
	return out
}

// describeStates are those of the policies and units on the ladder.
func describeStates(r *revision.Revision, l *ladder.Ladder, now time.Time) []stateOut {
	out := []stateOut{}
	add := func(k model.Key) {
		if r.Compiled(k) {
			s := policies.Summarize(r, k, now)
			out = append(out, stateOut{Policy: k.String(), State: s.State, Text: s.Text, InSync: s.InSync, Zones: s.Zones})
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
	return out
}
