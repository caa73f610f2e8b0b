package trace_test

import (
	"testing"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/revision"
	"rung/test/live"
	"rung/test/uitest"
	"rung/ui/nav"
)

// ovnSays is an answer of ovn-trace about the connection that is denied: by the rule that
// denies it in the rows, or by none.
func ovnSays(t testing.TB, p *revision.Facts, denies bool) func(verdict.Connection) (*revision.OVNTrace, error) {
	rev := revision.New(*p, nil)
	zone := rev.Zone("ovn-worker")
	return func(c verdict.Connection) (*revision.OVNTrace, error) {
		said, err := (&trace.Tracer{}).Ask(rev, c, trace.Rows, false, uitest.Now)
		if err != nil {
			return nil, err
		}
		rows := said.Answer.Paths[0]
		h := revision.OVNZoneTrace{Zone: "ovn-worker"}
		for _, s := range rows.Stages[:2] {
			x := revision.OVNStage{Stage: s.Stage, Verdict: verdict.Allow, Rows: s, Agreement: revision.Agree}
			if s.Stage == model.StageAfterLB {
				x.Agreement = revision.Disagree
				if denies {
					acl := live.ACL(t, zone.DB, "AdminNetworkPolicy:cluster-control:Egress:5:None")
					x.Verdict, x.ACL, x.Agreement = verdict.Deny, true, revision.Agree
					x.RulesBehind = revision.RulesBehindFlow{FoundBy: revision.ByRow, Rules: []revision.BehindRule{{Zone: zone.Name, ACL: acl, RuleName: "default-deny"}}}
				}
			}
			h.Stages = append(h.Stages, x)
		}
		return &revision.OVNTrace{Connection: c, At: uitest.Now, Paths: []revision.OVNPath{{Rows: rows, Zones: []revision.OVNZoneTrace{h}}}}, nil
	}
}

// T asks OVN, and its answer stands below the rows'.
func TestAskOVN(t *testing.T) {
	p := facts(t)
	s := open(t, p, denied)
	s.Want("(T ask OVN)") // simulated: there is none to ask
	s.Press("T")
	s.Want("needs the sandbox on OVN")
	if calls := s.Console.Calls; len(calls) > 0 {
		t.Errorf("asked all the same: %v", calls)
	}
	p.Mode.OVN = "25.03.0"
	s = open(t, p, denied)
	s.WantNot("ovn-trace")
	s.Press("T")
	s.Want("■ OVN: ovn-trace cannot run here")
	s.Console.OnOVNTrace = ovnSays(t, p, true)
	s.Press("T")
	s.Golden("ovn")
	s.Console.OnOVNTrace = ovnSays(t, p, false)
	s.Press("T")
	s.Golden("ovn-disagrees")
}

// Who comes with the question whether OVN says the same has it asked.
func TestBeginsWithOVN(t *testing.T) {
	p := facts(t)
	s := uitest.OpenScreen(t, p, nav.ToOVNTrace(denied))
	s.Want("■ OVN: ovn-trace cannot run here")
	if !nav.ToOVNTrace(denied).IsSamePlace(nav.ToTrace(denied)) {
		t.Error("they are two places")
	}
}
