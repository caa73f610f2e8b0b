package rows

import (
	"cmp"

	"rung/engine/logs"
	"rung/model/logline"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// columnWidth is the width of the names of an ACL's columns.
const columnWidth = 14

// columnLines compares the columns of the shown ACL: those that differ with both values, and on request the
// others.
func (v *RuleView) columnLines(env *view.Env, s *detail.Sheet, e *revision.RuleACL) {
	st := env.Styles
	add := func(id, name, which, value string, look themes.Style) {
		sign := words.Choose(name != "" && which != "", words.Differs+" ", "  ")
		lead := widget.Line{{Text: "  " + sign, Style: st.Error}, {Text: name, Style: st.Dim}}
		lead = detail.SideBySide(lead, columnWidth+4, widget.StyledLine(which, st.Dim))
		s.AddIndented("column."+id, lead, 0, value, look, v.rowPage())
	}
	both := func(name, desired, live string) {
		add(name, name, "desired  ", desired, st.Text)
		add(name+".live", "", "live     ", live, st.Error)
	}
	for _, f := range e.Fields {
		switch {
		case f.Differs && f.Name == "external_ids":
			for _, k := range revision.MapDiffers(e.Desired.ExternalIDs, e.Live.ExternalIDs) {
				both(k, externalID(e.Desired.ExternalIDs, k), externalID(e.Live.ExternalIDs, k))
			}
		case f.Differs:
			both(f.Name, f.Desired, f.Live)
		case v.allColumns:
			add(f.Name, f.Name, "", cmp.Or(f.Live, f.Desired), st.Text)
		}
	}
}

func externalID(m map[string]string, short string) string {
	for _, k := range []string{short, "k8s.ovn.org/" + short} {
		if s, ok := m[k]; ok {
			return s
		}
	}
	return "(none)"
}

// matchLines explains the match of the shown ACL.
func (v *RuleView) matchLines(env *view.Env, s *detail.Sheet) {
	e := v.shownACL()
	if e == nil {
		return
	}
	x := &detail.MatchExplainer{Rev: env.Rev, Zone: v.state, Policy: v.page.Key, First: max(4, (env.H-30)/3)}
	if e.Desired != nil {
		s.AddHead("match, term by term")
		x.AddMatch(s, "match", e.Desired.Match)
	}
	if e.Live != nil && (e.Desired == nil || e.Live.Match != e.Desired.Match) {
		title := words.Choose(e.Desired != nil, words.Differs+" live match, term by term", "live match, term by term")
		s.AddHead(title)
		x.AddMatch(s, "live", e.Live.Match)
	}
}

// flowLines adds the logical flows of the shown ACL.
func (v *RuleView) flowLines(env *view.Env, s *detail.Sheet) {
	if e := v.shownACL(); e != nil && e.Live != nil {
		detail.AddFlows(s, env.Rev, v.state, e.Live, env.Now)
	}
}

// comparisonText compares the live row with the desired one, in a few words.
func comparisonText(e *revision.RuleACL, read bool) (text string, bad bool) {
	switch {
	case !read:
		return "no live row to compare", false
	case e.Live == nil:
		return words.Differs + " missing here", true
	case e.Desired == nil:
		return words.Differs + " live, not desired", true
	case e.Differs > 0:
		return words.Differs + " " + detail.ColumnsDiffer(e.Differs), true
	}
	if e.Members {
		return "as desired, " + words.Differs + " its members differ", true
	}
	return "as desired", false
}

// hitsLine adds how often the rule decided, and the zone whose meter drops its lines. A rule that does not log
// has no known hits and no line.
func (v *RuleView) hitsLine(env *view.Env, s *detail.Sheet) {
	v.hits = detail.RuleHits(env)
	p := env.Rev.Cluster.Policy(v.page.Key)
	if v.hits == nil || p == nil || v.rule == nil {
		return
	}
	u := v.hits.UseOfRule(p, v.rule)
	if u.Use == logs.NotLogged {
		return
	}
	l := widget.PlainLine(u.ShortText())
	ref := logline.RuleRef{Policy: v.page.Key, Direction: v.page.Dir, Rule: v.page.Rule, Exact: true}
	for _, x := range env.Console.Logs().Losses() {
		if x.Rule == ref && (x.IsLosing() || x.Lost > 0) {
			l = l.Add(" · in "+x.Zone+": "+x.ShortText(), env.Styles.Warn)
			break // those at the limit come first
		}
	}
	s.AddField("hits", "hits", nameWidth, l, nav.Page{Kind: nav.Logs, Key: v.page.Key, Dir: v.page.Dir, Rule: v.page.Rule})
}

// HasNewCounts reports whether the hits may have changed.
func (v *RuleView) HasNewCounts(env *view.Env) bool { return detail.FreshHits(env, v.hits) }
