package rows

import (
	"fmt"

	"rung/model"
	"rung/model/ovn/dialect"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// addLines fills the page of a row.
func (v *RowView) addLines(env *view.Env, s *detail.Sheet) {
	v.ownerLines(env, s)
	if a, ok := v.shownRow().(*nb.ACL); ok {
		v.addPlace(env, s, a)
	}
	v.addRecord(env, s)
	switch r := v.shownRow().(type) {
	case *nb.ACL:
		s.AddHead("match, term by term")
		x := &detail.MatchExplainer{Rev: env.Rev, Zone: v.state, Policy: v.policy, First: 6}
		x.AddMatch(s, "match", r.Match)
		if v.live != nil {
			detail.AddFlows(s, env.Rev, v.state, r, env.Now)
		}
	case *nb.AddressSet:
		v.addMembers(env, s, r)
	case *nb.PortGroup:
		v.groupACLs(env, s, r)
		v.groupPorts(env, s, r)
	case *nb.LogicalSwitch:
		v.switchRefs(env, s, r)
	case *nb.LogicalSwitchPort:
		text, to := detail.PortPod(env.Rev, r.Name)
		s.AddHead("behind it")
		s.Add("pod", widget.StyledLine("  "+text, linkStyle(env.Styles, to)), to)
	}
	v.addReferrers(env, s)
}

// shownRow returns the live row, else the desired one.
func (v *RowView) shownRow() nb.Row { return words.Choose(v.live != nil, v.live, v.desired) }

func linkStyle(st *themes.StyleSet, to nav.Page) themes.Style {
	return words.Choose(to.IsNone(), st.Text, st.Accent)
}

// ownerLines names the owner of the row and its state.
func (v *RowView) ownerLines(env *view.Env, s *detail.Sheet) {
	st := env.Styles
	owner := widget.Line{{Text: v.page.Table, Style: st.Title}}
	name := v.owner.Label()
	k, named := revision.PolicyOfOwner(v.owner)
	switch {
	case v.owner.Form == nb.FormNone:
		owner = owner.Add("  no owner in its external_ids", st.Dim)
	case v.link.IsNone():
		owner = owner.Add("  owner ", st.Dim).Add(name, st.Text)
	default:
		owner = owner.Add("  owner ", st.Dim)
		if p := env.Rev.Cluster.Policy(k); named && p != nil {
			if r := p.Rule(v.ruleDirection(), v.owner.Index); r != nil {
				name += words.Between(` "`, r.Name, `"`)
				owner = owner.Add(name, st.Accent).Add("  "+string(r.Action), view.ActionStyle(r.Action, st))
				name = ""
			}
		} else {
			name += " (policy no longer exists)"
		}
		owner = owner.AddIf(name != "", name, st.Accent)
	}
	to := v.link
	s.Add("owner", owner, to)
	if v.replaced {
		s.AddNote("moved", 0, words.Noted, st.Info, st.Text, "Row "+v.page.UUID+" was replaced by this one.")
	}
	if text := v.formText(); text != "" {
		s.AddNote("form", 0, words.Noted, st.Info, st.Text, text)
	}
	if env.Rev.Mode.Sandbox && revision.IsExample(v.shownRow()) {
		text := "A sandbox example"
		if _, ok := v.shownRow().(*nb.ACL); ok {
			text += "; it matches nothing"
		}
		s.AddNote("example", 0, words.Noted, st.Info, st.Text, text+".")
	}
	sign, text := v.verdictText(env)
	if text == "" {
		return
	}
	if c := v.diffCause(env); c != nil {
		text += " " + c.Text() + "; " + c.Remedy + "."
	}
	mark, style := st.Error, st.Text
	if sign == words.Yes {
		mark = st.OK
	} else if sign == words.Noted || sign == words.Working {
		mark = st.Info
	}
	s.AddNote("verdict", 0, sign, mark, style, text)
}

// formText says why rows of the owner are not compared.
func (v *RowView) formText() string {
	if v.policy.Name != "" {
		return ""
	}
	switch o := v.owner; o.Form {
	case nb.FormKnown, nb.FormOdd:
		if net := o.Network(); !v.knowsNetwork {
			return "A row of the unknown network " + net + ". Not checked by Rung; OVN enforces it."
		}
		return "Not compared: nothing of this kind is desired here."
	case nb.FormLegacy:
		if o.Controller == nb.DefaultController {
			return "Written by an older release. Not checked by Rung; OVN enforces it."
		}
		return "Written in the form of 2023. Not checked by Rung; OVN enforces it."
	case nb.FormRecognised:
		return "Not checked by Rung; OVN enforces it."
	case nb.FormUnknown:
		return "Unknown owner. Not checked by Rung; OVN enforces it."
	}
	return ""
}

// diffCause returns the known defect of OVN-Kubernetes that explains the difference, nil if none.
func (v *RowView) diffCause(env *view.Env) *dialect.DiffCause {
	p := v.state.PolicyJoin(v.policy)
	if p == nil || v.policy.Name == "" || p.StateAt(v.state, env.Now) != model.StateBehind {
		return nil
	}
	d := v.diff
	for i := range p.Diffs {
		if v.live == nil && p.Diffs[i].Kind == model.DiffMissing && p.Diffs[i].Table == v.page.Table && p.Diffs[i].ID == v.id {
			d = &p.Diffs[i]
		}
	}
	return revision.CachedCause(env.Rev, v.state, p, d)
}

// verdictText compares the live row with the desired one, in a sentence.
func (v *RowView) verdictText(env *view.Env) (sign, text string) {
	if v.policy.Name == "" {
		return "", ""
	}
	p := v.state.PolicyJoin(v.policy)
	state := model.StateUnknown
	if v.state != nil {
		state, _ = detail.ZoneState(env.Rev, v.policy, v.state, env.Now)
	}
	switch {
	case v.state == nil || v.state.DB == nil:
		if v.state != nil && v.state.Conn == model.ConnSwept {
			return words.Noted, "A desired row: the zone is followed now, its rows appear in a moment."
		}
		return words.Noted, "A desired row: the zone has not been read."
	case v.live == nil:
		return words.Differs, "Missing here: this is the desired row."
	case state == model.StateFrozen:
		return words.Frozen, "Frozen: OVN-Kubernetes rejected the last change, and OVN still enforces this old row."
	case v.desired == nil && env.Rev.WhyNoRows(v.policy) == nil:
		return words.Differs, "Extra: no policy desires this row."
	case v.desired == nil:
		return words.Failed, "No desired rows for this policy; live rows stay."
	case v.diff == nil:
		return words.Yes, "As desired."
	case v.diff.Kind == model.DiffExtra:
		return words.Differs, "Extra: another row has this id already."
	case state == model.StateSettling:
		return words.Working, "Differs since " + detail.SinceText(p.DiffSince, env.Now) + "; the update may still be on its way."
	}
	return words.Differs, detail.ColumnsDiffer(len(v.diff.Fields)) + " from the desired row since " + detail.SinceText(p.DiffSince, env.Now) +
		"."
}

// longValue is the greatest length of a value in the record; longer ones are counted there and listed below.
const longValue = 400

// addRecord adds the row as "ovn-nbctl list" prints it; a differing column has the desired value below it.
func (v *RowView) addRecord(env *view.Env, s *detail.Sheet) {
	st := env.Styles
	title := words.Choose(v.live == nil, "desired record", "record")
	s.AddHead(title)
	want := map[string]nb.Column{}
	if v.desired != nil && v.live != nil {
		for _, c := range nb.Columns(v.desired) {
			want[c.Name] = c
		}
	}
	for _, c := range nb.Columns(v.shownRow()) {
		sign, mark, desired := " ", st.Text, ""
		if d := v.diff.DiffOfColumn(c.Name); d != nil && v.live != nil {
			sign, mark = words.Differs, st.Error
			if len(d.Missing)+len(d.Extra) > 0 {
				desired = fmt.Sprintf("%s missing, %s extra, see below", words.Thousands(len(d.Missing)), words.Thousands(len(d.Extra)))
			} else if w, ok := want[c.Name]; ok {
				desired = v.valueText(w)
			}
		}
		lead := widget.Line{{Text: sign + " ", Style: mark}, {Text: fmt.Sprintf("%-13s: ", c.Name), Style: st.CodeKey}}
		s.AddIndented("col."+c.Name, lead, 0, v.valueText(c), st.CodeText, nav.Page{})
		if desired != "" {
			s.AddIndented("col."+c.Name+".desired", widget.StyledLine("  desired      : ", st.Dim), 0, desired, st.Error, nav.Page{})
		}
	}
}

// valueText returns a column's value; long sets are counted.
func (v *RowView) valueText(c nb.Column) string {
	if list, ok := c.Value.([]string); ok {
		size := 0
		for _, x := range list {
			size += len(x) + 2
		}
		if size > longValue {
			return fmt.Sprintf("[%s, listed below]", words.Thousands(len(list)))
		}
	}
	return c.ListText()
}
