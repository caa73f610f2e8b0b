package policy

import (
	"fmt"

	"rung/model"
	"rung/model/antrea"
	"rung/model/words"
	"rung/ui/view"
	"rung/ui/widget"
)

// kindText is a kind for the title: Antrea's are told from those of Kubernetes.
func kindText(k model.Kind) string {
	if k.IsAntrea() {
		return antrea.KindWord(k)
	}
	return string(k)
}

// antreaPlace says where a policy of Antrea stands.
func antreaPlace(env *view.Env, p *model.Policy) string {
	for _, t := range antrea.Tiers(env.Rev.Cluster) {
		if t.Name == p.Antrea.Tier {
			return fmt.Sprintf("tier %s (%d) · priority %g", t.Name, t.Priority, p.Antrea.Priority)
		}
	}
	return fmt.Sprintf("tier %s (does not exist) · priority %g", p.Antrea.Tier, p.Antrea.Priority)
}

// antreaLines say what a policy logs and how it stands where there are no rows.
func antreaLines(env *view.Env, p *model.Policy) []widget.Line {
	st := env.Styles
	logged := 0
	for r := range p.AllRules() {
		if r.Antrea != nil && r.Antrea.Logging {
			logged++
		}
	}
	rules := fmt.Sprintf("%d ingress and %s", len(p.Ingress), words.Total(len(p.Egress), "egress rule"))
	logging := widget.Line{{Text: " logging  ", Style: st.Dim}, {Text: fmt.Sprintf("%s with enableLogging", words.Total(logged, "rule"))}}
	if p.Antrea == nil {
		logging[1].Text = "by annotation of the namespace"
	}
	logging = logging.Add("   rules  ", st.Dim).Add(rules, st.Text)
	state := widget.Line{{Text: " state    ", Style: st.Dim}}
	switch a := p.Antrea; {
	case a != nil && !env.Rev.Antrea():
		state = state.Add("✗ decides nothing here: OVN-Kubernetes' precedence holds", st.Warn)
	case p.Refused():
		state = state.Add("✗ decides nothing: Antrea would refuse it; see findings", st.Error)
	case a != nil && a.Phase != "":
		state = state.Add(fmt.Sprintf("Antrea reported: %s on %d of %s", a.Phase, a.NodesRealized, words.Total(int(a.NodesDesired), "node")), st.Text)
	default:
		state = state.Add("Antrea reported nothing", st.Dim)
	}
	return []widget.Line{logging, state}
}
