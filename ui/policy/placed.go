package policy

import (
	"fmt"

	"rung/model"
	"rung/model/words"
	"rung/system"
	"rung/ui/view"
	"rung/ui/widget"
)

// placeText says where a policy stands in the tiers of its plugin.
func placeText(env *view.Env, p *model.Policy) string {
	for _, t := range system.Of(p.Kind).Tiers(env.Rev.Cluster) {
		if t.Name == p.Tiered.Tier {
			return fmt.Sprintf("tier %s (%d) · priority %g", t.Name, t.Priority, p.Tiered.Priority)
		}
	}
	return fmt.Sprintf("tier %s (does not exist) · priority %g", p.Tiered.Tier, p.Tiered.Priority)
}

// placedLines say what a policy logs and how it stands where there are no rows.
func placedLines(env *view.Env, p *model.Policy) []widget.Line {
	st := env.Styles
	logged := 0
	for r := range p.AllRules() {
		if r.Tiered != nil && r.Tiered.Logging {
			logged++
		}
	}
	rules := fmt.Sprintf("%d ingress and %s", len(p.Ingress), words.Total(len(p.Egress), "egress rule"))
	logging := widget.Line{{Text: " logging  ", Style: st.Dim}, {Text: fmt.Sprintf("%s with enableLogging", words.Total(logged, "rule"))}}
	if p.Tiered == nil {
		logging[1].Text = "by annotation of the namespace"
	}
	logging = logging.Add("   rules  ", st.Dim).Add(rules, st.Text)
	state := widget.Line{{Text: " state    ", Style: st.Dim}}
	switch a := p.Tiered; {
	case a != nil && env.Rev.System != system.Of(p.Kind):
		state = state.Add("✗ decides nothing here: "+env.Rev.System.Whose+" precedence holds", st.Warn)
	case p.Refused():
		state = state.Add("✗ decides nothing: "+env.Rev.System.Title+" would refuse it; see findings", st.Error)
	case a != nil && a.Phase != "":
		state = state.Add(fmt.Sprintf("%s reported: %s on %d of %s", env.Rev.System.Title, a.Phase, a.NodesRealized, words.Total(int(a.NodesDesired), "node")), st.Text)
	default:
		state = state.Add(env.Rev.System.Title+" reported nothing", st.Dim)
	}
	return []widget.Line{logging, state}
}
