package revision_test

import (
	"testing"

	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/revision"
)

// What makes OVN and the rows disagree is told by what is known of the zone, the surest
// first.
func TestCauseOfDisagreement(t *testing.T) {
	denied := []revision.OVNStage{{Verdict: verdict.Allow, Rows: verdict.StageVerdict{Verdict: verdict.Deny}, Agreement: revision.Disagree}}
	gone := []revision.OVNStage{{Verdict: verdict.Allow, ACL: true, RulesBehind: revision.RulesBehindFlow{FoundBy: revision.ByCompiled}, Agreement: revision.Disagree}}
	behind := flow.NodeProgress{Written: nb.ProgressMark{Cfg: 12}, Made: nb.ProgressMark{Cfg: 10}}
	for want, h := range map[string]revision.OVNZoneTrace{
		"": {Stages: []revision.OVNStage{{Agreement: revision.Agree}, {Agreement: revision.NotCompared}}, Progress: behind, Changed: true},
		"the rows changed while ovn-trace ran; trace again":                  {Stages: denied, Changed: true, Progress: behind},
		"ovn-northd is behind: rows written #12, flows made #10":             {Stages: gone, Progress: behind},
		"the flow's row no longer exists: the flows are older than the rows": {Stages: gone},
		"unknown: check ovn-northd in the zone, then trace again":            {Stages: denied},
	} {
		if got := h.DisagreementCause(); got != want {
			t.Errorf("cause %q, want %q", got, want)
		}
	}
}
