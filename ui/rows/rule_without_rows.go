package rows

import (
	"cmp"
	"fmt"

	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/system"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// placedLines adds the subject, place and logging of a rule without rows.
func (v *RuleView) placedLines(env *view.Env, s *detail.Sheet) {
	st, p, r := env.Styles, v.policy, v.rule
	applied, pods := p.SubjectText(), revision.CountSubjects(env.Rev, p.Key).Pods
	if a := r.Tiered; a != nil {
		if len(a.AppliedTo) > 0 {
			applied = model.AppliedText(a.AppliedTo, p.Namespace)
		}
		pods = len(revision.RuleSubjects(env.Rev, p, r))
	}
	count := " → " + words.Count(pods, "pod")
	s.AddField("subject", "applied to", nameWidth,
		widget.PlainLine(widget.TruncateText(applied, max(8, s.TextWidth()-nameWidth-widget.TextWidth(count)))+count), nav.Page{})
	is := cmp.Or(system.SystemOfKind(p.Kind), env.Rev.System)
	for _, place := range is.PolicyPlaces(env.Rev.Cluster) {
		if place.Policy.Key != p.Key {
			continue
		}
		text := fmt.Sprintf("tier %s (%d), priority %g, rule %d", place.TierName, place.Tier, place.Priority(), r.Index)
		switch {
		case place.Missing:
			text = "none: tier " + place.TierName + " does not exist"
		case p.Kind == model.KindNP:
			text = "NetworkPolicies: after tier " + is.TiersAroundNetpol[0] + ", before " + is.TiersAroundNetpol[1]
		case p.Tiered == nil:
			text = fmt.Sprintf("%s at %d, priority %d, rule %d", p.Kind.Abbreviation(), place.Tier, p.Priority, r.Index)
		}
		s.AddField("order", "order", nameWidth, widget.PlainLine(text), nav.Page{})
		if place.IsTied() {
			var names []string
			for _, k := range place.TiedPolicies() {
				names = append(names, k.Label())
			}
			s.AddField("alike", "", nameWidth, widget.StyledLine("shared with "+words.ListFew(names, 2)+
				": conflicting rules with the same number are undefined", st.Dim), nav.Page{})
		}
	}
	if a := r.Tiered; a != nil {
		text := "off"
		if a.Logging {
			text = "on"
			text += words.Between(", label ", a.LogLabel, "")
		}
		s.AddField("logging", "logging", nameWidth, widget.PlainLine(text), nav.Page{})
		if a.Generated {
			s.AddField("name", "name", nameWidth, widget.StyledLine(r.Name+": generated name, not in the policy", st.Dim), nav.Page{})
		}
		for _, b := range p.Invalid {
			if d, i := b.RuleAt(); d == r.Direction && i == r.Index {
				s.AddField("refused", "rejected", nameWidth, widget.StyledLine(b.Message, st.Error), nav.Page{})
			}
		}
	}
	if is != env.Rev.System {
		s.AddField("system", "here", nameWidth, widget.StyledLine("decides nothing: "+env.Rev.System.TitlePossessive+" precedence applies",
			st.Warn), nav.Page{})
		return
	}
	before, after := revision.NeighbourRules(env.Rev, p, r)
	v.addNeighbour(env, s, "previous rule", before, "none: the first "+orderScope(p, r))
	v.addNeighbour(env, s, "next rule", after, "none: the last "+orderScope(p, r))
}
