package trace

import (
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
)

// WouldMatch is a rule of a ClusterNetworkPolicy that would match in a stage if OVN-Kubernetes enforced such
// policies (ovn-kubernetes.md#clusternetworkpolicy).
type WouldMatch struct {
	Rule *verdict.Decider
	// Maybe means that a rule of the same priority disagrees; the winner is undefined.
	Maybe bool
}

// Sentence tells what the rule would do.
func (w *WouldMatch) Sentence() string {
	verb := map[model.Action]string{model.Allow: "allow this", model.Deny: "deny this",
		model.Pass: "pass this to the next tier"}[w.Rule.Action]
	how := words.Choose(w.Maybe, "might", "would")
	return w.Rule.Policy.Label() + " " + revision.RuleLabel(w.Rule.Direction, w.Rule.Rule, w.Rule.RuleName) + " " + how + " " + verb +
		"; it is not compiled on OVN-Kubernetes"
}

// IdleOutcome returns, as a sentence, the verdict that the connection would get if ClusterNetworkPolicies had
// rows; empty if it is the same, or if they have rows.
func (t *Trace) IdleOutcome() string {
	return words.Between("with ClusterNetworkPolicies compiled (--compile-cnp): ", t.otherwise, "")
}

// addIdleRules adds what ClusterNetworkPolicies without rows would do.
func (t *Trace) addIdleRules(r *revision.Revision, c verdict.Connection) error {
	x := revision.VerdictsWithCNPs(r)
	if x == nil {
		return nil
	}
	a, err := verdict.FromPolicies(x, c)
	if err != nil {
		return err
	}
	would := &Trace{Connection: c, Verdict: a.Verdict, Reason: a.Reason, Answer: a}
	would.joinPaths()
	if would.Verdict != t.Verdict {
		t.otherwise = would.Sentence()
	}
	for i := range min(len(t.Paths), len(would.Paths)) {
		for j := range min(len(t.Paths[i].Stages), len(would.Paths[i].Stages)) {
			s := &t.Paths[i].Stages[j]
			s.Would = listCNPMatches(would.Paths[i].Stages[j].StageVerdict)
			s.Idle = s.Idle && len(s.Would) == 0
		}
	}
	return nil
}

// listCNPMatches returns the rules of ClusterNetworkPolicies that matched in a stage.
func listCNPMatches(s *verdict.StageVerdict) (out []WouldMatch) {
	for i := range s.Passed {
		if s.Passed[i].Policy.Kind == model.KindCNP {
			out = append(out, WouldMatch{Rule: &s.Passed[i]})
		}
	}
	if len(s.Candidates) == 0 && s.Decided != nil && s.Decided.Policy.Kind == model.KindCNP {
		out = append(out, WouldMatch{Rule: s.Decided})
	}
	for i := range s.Candidates {
		if s.Candidates[i].Policy.Kind == model.KindCNP {
			out = append(out, WouldMatch{Rule: &s.Candidates[i], Maybe: true})
		}
	}
	return out
}
