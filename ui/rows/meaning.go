package rows

import (
	"fmt"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/system"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
)

// meaningLines explains the rule: in sentences, with what is wrong, and how often it decided.
func (v *RuleView) meaningLines(env *view.Env, s *detail.Sheet) {
	st := env.Styles
	for i, text := range revision.RuleSentences(env.Rev, v.policy, v.rule) {
		s.AddNote(fmt.Sprintf("says.%d", i), 2, "", st.Text, st.Text, text)
	}
	v.effectLines(env, s)
	v.zoneLines(env, s)
	for _, f := range revision.KnownPolicyFindings(env.Rev, v.page.Key) {
		if f.Rule != v.rule.Index || f.Direction != v.rule.Direction {
			continue
		}
		sign, look := detail.SeveritySign(f.Severity, st)
		text := f.Message
		text += words.Between(" → ", f.Remedy, "")
		s.AddNote("finding."+f.Code+"."+f.Message, 2, sign, look, st.Text, text)
	}
	v.hitsLine(env, s)
}

// effectLines explains differences in the chosen zone that change a decision.
func (v *RuleView) effectLines(env *view.Env, s *detail.Sheet) {
	if !v.isZoneRead() {
		return
	}
	for _, e := range v.entries {
		short := detail.ShortID(e.ID, v.page.Key)
		text := ""
		switch {
		case e.Desired == nil:
			text = fmt.Sprintf("%s is still enforced: %s at OVN priority %d.", short, e.Live.Action, e.Live.Priority)
		case e.Live == nil:
			text = short + " decides nothing there: the ACL is missing."
		case e.Live.Action != e.Desired.Action:
			text = fmt.Sprintf("The live row of %s says %s where the rule says %s.", short, e.Live.Action, v.rule.Action)
		case e.Live.Priority != e.Desired.Priority:
			text = fmt.Sprintf("The live row of %s has OVN priority %d instead of %d.", short, e.Live.Priority, e.Desired.Priority)
		}
		if text != "" {
			s.AddParagraph("effect."+e.ID, 2, words.Differs, env.Styles.Error, env.Styles.Text, "In "+v.zone+": "+text,
				detail.RowPage(v.state, e.Live, e.Desired))
		}
	}
}

// zonesShown bounds the zones listed that need attention.
const zonesShown = 3

// zoneLines lists the zones where this rule's rows are not as desired.
func (v *RuleView) zoneLines(env *view.Env, s *detail.Sheet) {
	st, k := env.Styles, v.page.Key
	fine, unread, listed, more := 0, 0, 0, 0
	shared := revision.RuleSets(env.Rev, k, v.rule)
	for _, z := range env.Rev.Zones {
		p := z.PolicyJoin(k)
		state, rest := detail.ZoneState(env.Rev, k, z, env.Now)
		what := v.differingText(p)
		for _, unit := range shared {
			if other, more := detail.ZoneState(env.Rev, unit, z, env.Now); other.IsWorseThan(state) {
				state, rest, p, what = other, more, z.PolicyJoin(unit), sharedDiffers(z.PolicyJoin(unit))
			}
		}
		switch {
		case state == model.StateInSync || what == "" && (state == model.StateBehind || state == model.StateSettling):
			fine++
			continue
		case state == model.StateUnknown:
			unread++
		}
		if listed == zonesShown {
			more++
			continue
		}
		listed++
		text := string(state) + " in " + z.Name + " " + rest
		if what != "" {
			text = fmt.Sprintf("%s in %s since %s: %s", state, z.Name, detail.SinceText(p.DiffSince, env.Now), what)
		}
		if c := newestReport(env.Rev.Conditions(k), z.Name); c != nil {
			text += fmt.Sprintf("; controller reported %s at %s", c.Reason, words.Clock(c.Changed.Time, env.Now))
		}
		s.AddParagraph("zone."+z.Name, 2, page.StateSign(state), view.StateStyle(state, st), st.Text, text,
			nav.Page{Kind: nav.Rows, Key: k, Zone: z.Name, Text: detail.RowsFilter(k)})
	}
	switch n := len(env.Rev.Zones); {
	case !env.Rev.System.HasFeature(system.Rows):
	case n == 0:
		s.AddNote("zones", 2, words.Unknown, st.Dim, st.Text, "Not checked against live rows: no zone is known.")
	case fine == n:
		s.AddNote("zones", 2, words.Yes, st.OK, st.Dim, asDesiredIn(fine, n))
	case more > 0:
		s.AddParagraph("zones", 2, words.Failed, st.Error, st.Text, words.Count(more, "more zone")+" like that.", nav.ToPolicy(k))
		fallthrough
	case fine > 0:
		s.AddNote("zones.fine", 2, " ", st.Dim, st.Dim, asDesiredIn(fine, n))
	}
}

// asDesiredIn counts the zones where the rule's rows are as desired.
func asDesiredIn(fine, all int) string {
	return fmt.Sprintf("as desired in %s of %s", words.Thousands(fine), words.Count(all, "zone"))
}

// sharedDiffers names the differences of shared sets that the rule reads.
func sharedDiffers(p *model.PolicyInZone) string {
	if p == nil || len(p.Diffs) == 0 {
		return ""
	}
	return "the " + p.Policy.Label() + ", which it reads: " + detail.DifferencesText(p)
}

// differingText names the differences of this rule's own rows in a zone: "priority and log", "ACL tcp
// missing"; empty for none.
func (v *RuleView) differingText(p *model.PolicyInZone) string {
	if p == nil {
		return ""
	}
	var out []string
	for i := range p.Diffs {
		d := &p.Diffs[i]
		short := detail.ShortID(d.ID, v.page.Key)
		mine := strings.HasPrefix(short, fmt.Sprintf("%s:%d:", v.rule.Direction, v.rule.Index))
		if v.page.Key.Kind == model.KindEF {
			mine = short == "rule "+strconv.Itoa(v.rule.Index)
		}
		group := d.Table == nb.TablePortGroup
		if !mine && !group || d.Waiting != "" {
			continue
		}
		what := detail.TableWord(d.Table)
		if !group {
			what += " " + short
		}
		if d.Kind != model.DiffDifferent {
			out = append(out, what+" "+string(d.Kind))
			continue
		}
		cols := make([]string, len(d.Fields))
		for j := range d.Fields {
			f := &d.Fields[j]
			cols[j] = f.Column
			if n, m := len(f.Missing), len(f.Extra); n+m > 0 {
				cols[j] = fmt.Sprintf("%s (%s missing, %s extra)", f.Column, words.Thousands(n), words.Thousands(m))
			}
		}
		out = append(out, words.List(cols, 4)+" of "+what)
	}
	return words.List(out, 4)
}

// newestReport returns the newest condition reported by a controller of that zone.
func newestReport(conditions []model.Condition, zone string) *model.Condition {
	var out *model.Condition
	for i := range conditions {
		c := &conditions[i]
		if strings.HasSuffix(c.Type, zone) && (out == nil || c.Changed.After(out.Changed.Time)) {
			out = c
		}
	}
	return out
}
