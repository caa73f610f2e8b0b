package trace

import (
	"fmt"
	"slices"

	"rung/model"
	"rung/model/verdict"
	"rung/revision"
)

// FindNoRowsOf2016 is the code of the finding that a verdict counts the isolation annotation of 2016, for
// which today's OVN-Kubernetes has no rows. Rows then differ although nothing is wrong.
const FindNoRowsOf2016 = "isolation-annotation-no-rows"

// The message of the finding, and its remedy.
const (
	noRows2016 = "OVN-Kubernetes has no rows for the isolation annotation of 2016 (a known divergence, not drift)"
	remedy2016 = "rung convert --to networkpolicy writes the policies of today, which have rows"
)

// isDecidedAs2016 reports whether policies and rows disagree in a stage only because the isolation annotation
// of 2016 counts: without it, the policies agree with the rows. A remaining disagreement is drift.
func (t *Trace) isDecidedAs2016(r *revision.Revision, path, stage int) bool {
	if !r.Flags.LegacyIsolation {
		return false
	}
	if t.today == nil {
		a, err := verdict.FromPolicies(revision.VerdictsToday(r), t.Connection)
		if err != nil {
			return false
		}
		t.today = &a
	}
	if path >= len(t.today.Paths) || stage >= len(t.today.Paths[path].Stages) {
		return false
	}
	now, s := &t.today.Paths[path].Stages[stage], &t.Paths[path].Stages[stage]
	return now.Stage == s.Stage && now.Zone == s.Zone && now.Verdict == s.Rows.Verdict
}

func findingOf2016(s *Stage) model.Finding {
	f := model.Finding{Code: FindNoRowsOf2016, Severity: model.SeverityInfo, Rule: -1, Zone: s.Zone, Remedy: remedy2016,
		Message: fmt.Sprintf("zone %s, %s: policies %s by the document of 2016, rows %s by the policies of today; %s", s.Zone, s.Stage, s.Verdict,
			s.Rows.Verdict, noRows2016)}
	nameRule(&f, s.StageVerdict)
	return f
}

// noteRowsOnly notes, if only the rows were asked, that policies decide otherwise by the document of 2016.
func (t *Trace) noteRowsOnly(r *revision.Revision) {
	if !r.Flags.LegacyIsolation {
		return
	}
	then, err := verdict.FromPolicies(r.Verdicts(), t.Connection)
	if err != nil || then.Verdict == t.Verdict {
		return
	}
	now, err := verdict.FromPolicies(revision.VerdictsToday(r), t.Connection)
	if err != nil || now.Verdict != t.Verdict {
		return
	}
	t.Of2016 = &model.Finding{Code: FindNoRowsOf2016, Severity: model.SeverityInfo, Rule: -1, Remedy: remedy2016,
		Message: fmt.Sprintf("policies %s by the document of 2016, rows %s by the policies of today; %s", then.Verdict, t.Verdict, noRows2016)}
}

// DiffersAsKnown reports whether rows and policies disagree for a known reason that is not drift.
func (t *Trace) DiffersAsKnown() bool {
	return len(t.Disagree) > 0 && !slices.ContainsFunc(t.Disagree, func(d Disagreement) bool { return !d.KnownFrom2016 })
}
