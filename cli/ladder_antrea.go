package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/revision"
	"rung/revision/omitted"
	"rung/revision/policies"
)

// antctlForm is the output of rung ladder that has the columns of antctl.
const antctlForm = "antctl"

// bandsOut is the JSON of `rung ladder` where Antrea's precedence holds. Lists are never
// null.
type bandsOut struct {
	System model.PolicySystem `json:"system"`
	Why    string             `json:"system_why"`
	Bands  []bandOut          `json:"bands"`
	Broken []brokenOut        `json:"broken"`
}

type bandOut struct {
	Name string `json:"name"`
	// Priority is that of the tier, absent for NetworkPolicies.
	Priority int32           `json:"tier_priority,omitempty"`
	Tier     bool            `json:"tier"`
	Static   bool            `json:"static"`
	Missing  bool            `json:"missing,omitempty"`
	Policies []bandPolicyOut `json:"policies"`
}

type bandPolicyOut struct {
	rungPolicyOut
	Priority float64 `json:"priority,omitempty"`
	Tied     bool    `json:"tied"`
	Pods     int     `json:"pods"`
	Refused  bool    `json:"refused,omitempty"`
	Phase    string  `json:"phase,omitempty"`
}

// bandsAnswer is the ladder of a cluster on Antrea.
func bandsAnswer(r *revision.Revision, stage model.Stage) (*answer, error) {
	if stage != "" {
		return nil, errors.New("--stage is of OVN's pipeline, and Antrea's precedence holds here; leave it out")
	}
	l, bands := r.Ladder(), r.Bands()
	out := bandsOut{System: r.System, Why: r.SystemWhy, Broken: describeLadder(l).Broken, Bands: each(bands, func(b ladder.Band) bandOut { return describeBand(r, &b) })}
	return &answer{value: out, text: func(bool) string { return bandsText(r, l, bands) }, records: func() string { return antctlText(r) },
		notConsidered: omitted.Objects(r)}, nil
}

func describeBand(r *revision.Revision, b *ladder.Band) bandOut {
	out := bandOut{Name: b.Name, Priority: b.Priority, Tier: b.Tier != nil, Missing: b.Missing, Policies: []bandPolicyOut{}}
	if b.Tier != nil {
		out.Static = b.Tier.Static
	}
	if b.Name == string(model.KindNP) {
		out.Priority = 0
	}
	for i := range b.Rungs {
		for _, p := range b.Rungs[i].Policies {
			o := bandPolicyOut{rungPolicyOut: describeRungPolicy(p), Priority: b.Rungs[i].Priority, Tied: b.Rungs[i].Tied,
				Pods: policies.CountSubjects(r, p.Policy.Key).Pods, Refused: p.Policy.Refused()}
			o.Subject = p.Policy.SubjectText()
			if a := p.Policy.Antrea; a != nil {
				o.Phase = a.Phase
			}
			out.Policies = append(out.Policies, o)
		}
	}
	return out
}

func bandsText(r *revision.Revision, l *ladder.Ladder, bands []ladder.Band) string {
	t := &tableOut{head: []string{"TIER", "PRIO", "POLICY", "APPLIED TO", "INGRESS", "EGRESS", "PODS", "MARKS"}}
	for _, b := range bands {
		name := b.Name + " " + strconv.Itoa(int(b.Priority))
		switch {
		case b.Name == string(model.KindNP):
			name = "–"
		case b.Missing: // and has no priority
			name = b.Name
		}
		for i := range b.Rungs {
			rung := &b.Rungs[i]
			for j := range rung.Policies {
				p := &rung.Policies[j]
				prio := strconv.FormatFloat(rung.Priority, 'g', -1, 64)
				if p.Policy.Kind == model.KindNP {
					prio = "–"
				}
				t.add(name, prio, p.Policy.Key.Label(), p.Policy.SubjectText(), p.Ingress.String(), p.Egress.String(),
					strconv.Itoa(policies.CountSubjects(r, p.Policy.Key).Pods), strings.Join(bandMarks(&b, rung, p), ", "))
			}
		}
		if len(b.Rungs) == 0 {
			t.add(name, "", "no policies")
		}
	}
	for _, b := range l.Broken {
		t.add("", "", "✗ "+brokenName(b), strings.TrimPrefix(b.Field+": "+b.Message, ": "))
	}
	return "system: antrea (" + r.SystemWhy + ")\n" + t.String()
}

func bandMarks(b *ladder.Band, rung *ladder.BandRung, p *ladder.RungPolicy) []string {
	var marks []string
	switch {
	case b.Missing:
		marks = append(marks, "✗ decides nothing: no such tier")
	case p.Policy.Refused():
		marks = append(marks, "✗ decides nothing: "+p.Policy.Invalid[0].Message)
	}
	if rung.Tied {
		marks = append(marks, fmt.Sprintf("= %s at %g", words.Count(len(rung.Policies), "policy"), rung.Priority))
	}
	return marks
}

// noRows says on stderr why there is nothing to list where Antrea enforces policies.
func (a *app) noRows(r *revision.Revision) {
	const text = "rung: Antrea enforces the policies here: there are no zones and no rows (docs/antrea.md)"
	if r.Antrea() && !a.flags.quiet && !a.said[text] {
		a.said[text] = true
		fmt.Fprintln(a.err, text)
	}
}

// antctlText has the columns of antctl get networkpolicy --sort-by=effectivePriority.
func antctlText(r *revision.Revision) string {
	t := &tableOut{head: ladder.AntctlHead}
	for _, p := range r.Order() {
		t.add(ladder.AntctlRow(&p)...)
	}
	return t.String()
}
