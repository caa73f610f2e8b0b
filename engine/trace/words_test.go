package trace_test

import (
	"testing"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
)

// The headline says which known defect decides and where: an ingress rule that matches on the
// sender's node is not the receiver's, and two rules of one number are told apart.
func TestSentenceSaysDefectAndPlace(t *testing.T) {
	const defect = "a named port in an ingress rule matches the rule's peers as destinations, too"
	from := verdict.End{Endpoint: verdict.PodEnd("a", "p"), Zone: "n1"}
	to := verdict.End{Endpoint: verdict.PodEnd("b", "q"), Zone: "n2"}
	by := func(policy string, d model.Direction, rule int, act model.Action, defect string) *verdict.Decider {
		return &verdict.Decider{Tier: 1, Policy: model.Key{Kind: model.KindANP, Name: policy}, Direction: d, Rule: rule, Action: act, Defect: defect}
	}
	stage := func(s model.Stage, zone string, v verdict.Verdict, d *verdict.Decider, passed ...verdict.Decider) trace.Stage {
		return trace.Stage{StageVerdict: &verdict.StageVerdict{Stage: s, Zone: zone, Verdict: v, Decided: d, Passed: passed}}
	}
	egress, here, there := model.StageAfterLB, "n1", "n2"
	for _, test := range []struct {
		want   string
		v      verdict.Verdict
		stages []trace.Stage
	}{
		{"denied by ANP x ingress 0 on the sender's node n1 (known defect: " + defect + ")", verdict.Deny,
			[]trace.Stage{stage(egress, here, verdict.Allow, nil), stage(model.StageToLport, here, verdict.Deny, by("x", model.Ingress, 0, model.Deny, defect))}},
		{"denied by ANP x ingress 0 at b/q", verdict.Deny,
			[]trace.Stage{stage(model.StageToLport, there, verdict.Deny, by("x", model.Ingress, 0, model.Deny, ""))}},
		{"allowed by ANP x egress 0 at a/p and ANP x ingress 0 at b/q", verdict.Allow,
			[]trace.Stage{stage(egress, here, verdict.Allow, by("x", model.Egress, 0, model.Allow, "")), stage(model.StageToLport, there, verdict.Allow, by("x", model.Ingress, 0, model.Allow, ""))}},
		{"allowed by ANP x ingress 0 on the sender's node n1 and at b/q (known defect: " + defect + ")", verdict.Allow,
			[]trace.Stage{stage(model.StageToLport, here, verdict.Allow, by("x", model.Ingress, 0, model.Allow, defect)), stage(model.StageToLport, there, verdict.Allow, by("x", model.Ingress, 0, model.Allow, defect))}},
		{"allowed by default: no rule decides; passed on by ANP x ingress 1 on the sender's node n1 (known defect: " + defect + ")", verdict.Allow,
			[]trace.Stage{stage(model.StageToLport, here, verdict.Allow, nil, *by("x", model.Ingress, 1, model.Pass, defect))}},
		{"denied by ANP y ingress 2 at b/q; passed on by ANP x ingress 1 at b/q (known defect: " + defect + ")", verdict.Deny,
			[]trace.Stage{stage(model.StageToLport, there, verdict.Deny, by("y", model.Ingress, 2, model.Deny, ""), *by("x", model.Ingress, 1, model.Pass, defect))}},
	} {
		p := trace.Path{From: from, To: to, Verdict: test.v, Stages: test.stages}
		if got := p.Sentence(); got != test.want {
			t.Errorf("%s\nwant %s", got, test.want)
		}
	}
}
