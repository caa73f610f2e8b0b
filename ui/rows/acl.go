package rows

import (
	"cmp"
	"strings"

	"rung/engine/logs"
	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// aclLines returns the shown ACL, desired beside live, with a heading.
func (v *RuleView) aclLines(env *view.Env, w int) []widget.Line {
	st := env.Styles
	e := v.shownACL()
	if e == nil {
		return []widget.Line{widget.HeadingLine("ACL", w, st), widget.StyledLine(" "+noACL(env.Rev, v.page.Key), st.Dim)}
	}
	name, mark := 14, 2
	half := max(6, (w-name-mark-3)/2)
	live := "live"
	switch {
	case v.state == nil:
		live = "no zone"
	case !v.isZoneRead():
		live = "not read"
	case e.Live != nil:
		live += " " + e.Live.UUID[:min(8, len(e.Live.UUID))]
	}
	out := []widget.Line{widget.HeadingLine("ACL "+detail.ShortID(e.ID, v.page.Key), w, st),
		detail.SideBySide(widget.PlainLine(" "), name+1, detail.SideBySide(widget.StyledLine("desired", st.Dim), half+mark,
			widget.StyledLine(live, st.Dim)))}
	for _, f := range e.Fields {
		out = append(out, fieldLine(f, e, v.isZoneRead(), st, name, half))
	}
	return out
}

// fieldLine returns one column of an ACL.
func fieldLine(f revision.ComparedField, e *revision.RuleACL, read bool, st *themes.StyleSet, name, half int) widget.Line {
	desired, live := f.Desired, f.Live
	if f.Name == "match" || f.Name == "external_ids" {
		desired, live = briefColumns(f, e)
	}
	look, sign := st.Text, "  "
	switch {
	case f.Differs:
		look, sign = st.Error, words.Differs+" "
	case f.Name != "action":
	case e.Desired == nil:
		desired, sign = "no row", words.Differs+" "
	case e.Live == nil && read:
		live, look, sign = "no row", st.Error, words.Differs+" "
	}
	l := widget.Line{{Text: " " + f.Name, Style: st.Dim}}
	left := widget.Line{{Text: widget.TruncateText(desired, half-2)}}
	right := widget.Line{{Text: sign, Style: st.Error}, {Text: live, Style: look}}
	return detail.SideBySide(l, name+1, detail.SideBySide(left, half, right))
}

// briefColumns replaces values that are too long: it only says whether they are equal.
func briefColumns(f revision.ComparedField, e *revision.RuleACL) (desired, live string) {
	desired, live = "see below", "as desired"
	if f.Name == "external_ids" {
		desired = aclKey(e)
	}
	switch {
	case e.Desired == nil:
		desired, live = "", "see below"
		if f.Name == "external_ids" {
			live = aclKey(e)
		}
	case e.Live == nil:
		live = ""
	case f.Differs && f.Name == "external_ids":
		live = strings.Join(revision.MapDiffers(e.Desired.ExternalIDs, e.Live.ExternalIDs), ", ")
	case f.Differs:
		live = "differs, see below"
	}
	return desired, live
}

// aclKey returns the key that distinguishes the ACL from the others of its rule.
func aclKey(e *revision.RuleACL) string {
	a := cmp.Or(e.Desired, e.Live)
	switch o := nb.OwnerOfRow(a); {
	case o.Type == nb.OwnerNetworkPolicy && o.Block == "-2":
		return o.Protocol + ", ip blocks"
	case o.Type == nb.OwnerNetworkPolicy:
		return o.Protocol
	case o.Type == nb.OwnerEgressFirewall:
		return "rule-index=" + a.ExternalIDs[nb.KeyRuleIndex]
	}
	return a.ExternalIDs[nb.KeyProtocol]
}

// fullLines adds both values of differing columns that were too long.
func (v *RuleView) fullLines(env *view.Env, s *detail.Sheet) {
	e := v.shownACL()
	if e == nil || e.Differs == 0 {
		return
	}
	st, head := env.Styles, false
	both := func(id, name, desired, live string) {
		if !head {
			s.AddHead(words.Differs + " in full")
			head = true
		}
		s.AddParagraph("full."+id, 2, words.Differs, st.Error, st.Text, name+", desired: "+desired, v.rowPage())
		s.AddParagraph("full.live."+id, 4, "", st.Text, st.Error, name+", live: "+live, v.rowPage())
	}
	for _, f := range e.Fields {
		switch {
		case !f.Differs:
		case f.Name == "external_ids":
			for _, k := range revision.MapDiffers(e.Desired.ExternalIDs, e.Live.ExternalIDs) {
				both(k, k, externalID(e.Desired.ExternalIDs, k), externalID(e.Live.ExternalIDs, k))
			}
		case f.Name == "match" || widget.TextWidth(f.Desired) > fullWidth || widget.TextWidth(f.Live) > fullWidth:
			both(f.Name, f.Name, f.Desired, f.Live)
		}
	}
}

// fullWidth is the width up to which a value always fits a column of the comparison.
const fullWidth = 16

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
