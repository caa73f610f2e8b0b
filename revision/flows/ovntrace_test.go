package flows_test

import (
	"testing"

	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/revision/flows"
	"rung/revision/liverows"
)

// What makes OVN and the rows disagree is told by what is known of the zone, the surest
// first.
func TestCauseOfDisagreement(t *testing.T) {
	denied := []flows.OVNStage{{Verdict: verdict.Allow, Rows: verdict.StageVerdict{Verdict: verdict.Deny}, Agreement: flows.Disagree}}
	gone := []flows.OVNStage{{Verdict: verdict.Allow, ACL: true, RulesBehind: liverows.RulesBehindFlow{FoundBy: liverows.ByCompiled}, Agreement: flows.Disagree}}
	behind := flow.NodeProgress{Written: nb.ProgressMark{Cfg: 12}, Made: nb.ProgressMark{Cfg: 10}}
	for want, h := range map[string]flows.OVNZoneWay{
		"": {Stages: []flows.OVNStage{{Agreement: flows.Agree}, {Agreement: flows.NotCompared}}, Progress: behind, Changed: true},
		"the rows changed while ovn-trace ran; trace again":                      {Stages: denied, Changed: true, Progress: behind},
		"ovn-northd is behind: rows written #12, flows made #10":                 {Stages: gone, Progress: behind},
		"the flow is of no row that is there: the flows are older than the rows": {Stages: gone},
		"not known: look at ovn-northd in the zone, and trace again":             {Stages: denied},
	} {
		if got := h.DisagreementCause(); got != want {
			t.Errorf("cause %q, want %q", got, want)
		}
	}
}
