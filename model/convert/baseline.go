package convert

import (
	"fmt"

	"rung/model"
	"rung/model/antrea"
	"rung/model/words"
)

// baseline makes what the tier behind NetworkPolicies becomes: the one
// BaselineAdminNetworkPolicy, or ClusterNetworkPolicies of tier Baseline, before those there
// are.
func (f *importer) baseline(ties []tie) {
	var behind []tie
	for _, t := range ties {
		if t.tier > antrea.PriorityApplication {
			behind = append(behind, t)
		}
	}
	if f.to == model.KindCNP {
		last := top()
		for p := range f.c.Policies(model.KindCNP) {
			if p.Tier == model.TierBaseline {
				last.before(p)
			}
		}
		f.place(behind, model.TierBaseline, 0, last)
		return
	}
	for p := range f.c.Policies(model.KindBANP) {
		for i := range behind {
			behind[i].leave("there is one BaselineAdminNetworkPolicy, and the cluster has it: %s", p.Label())
		}
		return
	}
	f.single(behind)
}

// single joins the rules of the baseline tier into one policy, whose subject is that of the
// first.
func (f *importer) single(ties []tie) {
	var banp *model.Policy
	var of string
	for i := range ties {
		for _, d := range model.Directions {
			for _, r := range ties[i].rows(d) {
				tied := r.tied()
				for _, s := range r {
					if banp == nil {
						p := s.clauses[0]
						next := *s.policy
						next.Subject, next.Annotations, next.Logging, next.HasLogging = p.subject, nil, "", false
						banp, of = f.policy(&next, model.KindBANP, model.TierBaseline, 0, baselineName), s.policy.Label()
					}
					f.join(s, banp, of)
					if tied != "" && len(s.to) > 0 {
						s.lose("%s", tied)
					}
				}
			}
		}
	}
}

// join adds the clauses of a rule that have the subject.
func (f *importer) join(s *saying, banp *model.Policy, of string) {
	left := 0
	for _, p := range s.clauses {
		switch {
		case subjectKey(&p.subject) != subjectKey(&banp.Subject):
			left++
		case len(banp.Rules(s.rule.Direction)) >= anpRules:
			s.lose("the API takes %d rules in a direction", anpRules)
		default:
			s.to = append(s.to, add(banp, said(s, p)))
		}
	}
	if left == 0 {
		return
	}
	what := "its subject is that of " + of
	if s.policy.Label() == of {
		what = fmt.Sprintf("it has one subject, and not %s", words.Count(left, "other"))
	}
	s.lose("there is one BaselineAdminNetworkPolicy, and %s", what)
}

// tied is why the order of a row is chosen, empty where all of it does the same.
func (r row) tied() string {
	var names []string
	for _, s := range r {
		if s.rule.Action != r[0].rule.Action {
			names = append(names, s.policy.Label())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return words.List(append([]string{r[0].policy.Label()}, names...), 3) + " share a priority: which decides first was open, and is this order now"
}
