package cluster

import (
	"fmt"

	"rung/model"
	"rung/pages/cluster"
	"rung/pages/plan"
	"rung/revision"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// addHeaderFacts shows in full what the header omits if it is narrow: deadlines first, then counts.
func (v *View) addHeaderFacts(env *view.Env, s *detail.Sheet) {
	st, r := env.Styles, env.Rev
	if u := r.Unconfirmed; u.IsOpen() {
		addValue(s, "trial", "on trial", u.Title+": "+u.Text(env.Now), nav.NewPage(nav.Activity))
	}
	if p := r.Plan; p.IsOpen() {
		addValue(s, "plan", "plan", plan.Headline(p, env.Now), nav.NewPage(nav.Plan))
	}
	addValue(s, "counts", "counts", fmt.Sprintf("%s · pods %s · rev %d", view.PolicyCounts(r), r.CountText(model.KindPod), r.Number),
		nav.NewPage(nav.Ladder))
	known, current := revision.KnownFindings(r)
	found := detail.FindingCount(model.CountFindings(known), r.Unread(), st)
	found = found.AddIf(!current, " a moment ago", st.Dim)
	s.AddField("findings", "findings", cluster.FieldWidth, found, nav.NewPage(nav.Findings))
	if text, _ := r.Mode.TrafficTexts(); text != "" {
		addValue(s, "traffic", "traffic", text, nav.NewPage(nav.Logs))
	}
}

// addValue adds a field whose value wraps.
func addValue(s *detail.Sheet, id, name, text string, to nav.Page) {
	for i, part := range widget.FlowText(widget.CleanText(text), s.TextWidth()-cluster.FieldWidth) {
		if i == 0 {
			s.AddField(id, name, cluster.FieldWidth, widget.PlainLine(part), to)
		} else {
			s.AddUnder(cluster.FieldWidth, part, s.St.Text)
		}
	}
}
