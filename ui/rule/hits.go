package rule

import (
	"rung/engine/logs"
	"rung/model/logline"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// hitsLine says how often the rule decided, and in which zone its meter keeps lines back;
// of a rule that does not log nothing is known, and nothing said.
func (v *View) hitsLine(env *view.Env, s *detail.Sheet) {
	v.hits = detail.Hits(env)
	p := env.Rev.Cluster.Policy(v.page.Key)
	if v.hits == nil || p == nil || v.rule == nil {
		return
	}
	u := v.hits.Of(p, v.rule)
	if u.Use == logs.NotLogged {
		return
	}
	l := widget.Plain(u.Short())
	ref := logline.RuleRef{Policy: v.page.Key, Direction: v.page.Dir, Rule: v.page.Rule, Exact: true}
	for _, x := range env.Console.Logs().Losses() {
		if x.Rule == ref && (x.Loses() || x.Lost > 0) {
			l = l.Add(" · in "+x.Zone+": "+x.Short(), env.Styles.Warn)
			break // those at the limit come first
		}
	}
	s.Field("hits", "hits", nameWidth, l, nav.Page{Kind: nav.Logs, Key: v.page.Key, Dir: v.page.Dir, Rule: v.page.Rule})
}

// Counted says whether the hits may be others now.
func (v *View) Counted(env *view.Env) bool { return detail.FreshHits(env, v.hits) }
