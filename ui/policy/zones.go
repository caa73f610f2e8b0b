package policy

import (
	"fmt"
	"strings"

	"rung/model"
	"rung/model/nb"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// diffsShown is how many rows that differ are listed for a zone.
const diffsShown = 12

// zoneLines are the policy in every zone with the rows that differ, what
// controllers reported, and events.
func (v *View) zoneLines(env *view.Env) []detail.Line {
	st := env.Styles
	s := &detail.Sheet{St: st, W: env.W}
	if !v.key.Kind.IsAdmin() {
		s.Say("np", 0, "·", st.Info, st.Text, "A "+string(v.key.Kind)+" is not compiled yet: there are no desired rows to compare with.", nav.Page{})
	} else {
		s.Head("zones · judged by rows alone")
		if len(env.Rev.Zones) == 0 {
			s.Say("zones", 0, "?", st.Dim, st.Text, "No zone is known: not checked against live rows.", nav.Page{})
		}
		wide := 0
		for _, z := range env.Rev.Zones {
			wide = max(wide, widget.Width(z.Name))
		}
		for _, z := range env.Rev.Zones {
			v.zoneLine(env, s, z, min(wide, 30)+2)
		}
	}
	v.conditionLines(env, s)
	v.eventLines(env, s)
	return s.Lines
}

func (v *View) zoneLine(env *view.Env, s *detail.Sheet, z *model.ZoneState, wide int) {
	st := env.Styles
	p := z.Policy(v.key)
	state, rest := detail.ZoneState(env.Rev, v.key, z, env.Now)
	name := widget.Styled(z.Name, st.Accent)
	l := detail.Two(name, wide, detail.StateLine(state, rest, st))
	rows := nav.Page{Kind: nav.Rows, Zone: z.Name, Text: v.key.Label() + " "}
	if p != nil && z.DB != nil && state != model.StateBehind && state != model.StateSettling {
		l = l.Add(fmt.Sprintf("  %s", detail.Count(p.LiveACLs, "ACL")), st.Dim)
		if g := z.DB.PortGroupByName(detail.GroupName(v.key)); g != nil {
			l = l.Add(", "+detail.Count(len(g.Ports), "port")+" here", st.Dim)
		}
	}
	s.Add("zone."+z.Name, l, rows)
	if p == nil {
		return
	}
	if p.Error != "" {
		s.Say("error."+z.Name, 4, "●", st.Error, st.Text, fmt.Sprintf("last write failed %s after %s: %s",
			detail.Since(p.ErrorAt, env.Now), detail.Count(p.Tries, "try"), p.Error), nav.Page{Kind: nav.Activity, Zone: z.Name})
	}
	for i := range p.Diffs {
		if i == diffsShown {
			s.Add("more."+z.Name, widget.Styled(fmt.Sprintf("    └ %d more", len(p.Diffs)-i), st.Accent), rows)
			break
		}
		v.diffLine(env, s, z, &p.Diffs[i], i)
	}
}

// diffLine is one row that differs: which, and in what.
func (v *View) diffLine(env *view.Env, s *detail.Sheet, z *model.ZoneState, d *model.RowDiff, i int) {
	st := env.Styles
	to := nav.Page{Kind: nav.Row, Zone: z.Name, Table: d.Table, UUID: d.UUID}
	if d.UUID == "" {
		to.ID = d.ID
	}
	what := map[string]string{nb.TableACL: "ACL", nb.TableAddressSet: "address set", nb.TablePortGroup: "port group"}[d.Table]
	if short := detail.ShortID(d.ID, v.key); d.Table != nb.TablePortGroup {
		what += " " + short
	}
	sign, look := "≠", st.Error
	text := string(d.Kind)
	var cols []string
	for j := range d.Fields {
		f := &d.Fields[j]
		switch {
		case len(f.Missing)+len(f.Extra) > 0:
			cols = append(cols, fmt.Sprintf("%s: %d missing, %d extra of %s desired", f.Column, len(f.Missing), len(f.Extra), f.Desired))
		default:
			cols = append(cols, fmt.Sprintf("%s %s, desired %s", f.Column, short(f.Live), short(f.Desired)))
		}
	}
	if len(cols) > 0 {
		text = strings.Join(cols, "; ")
	}
	if d.Waiting != "" {
		sign, look = "○", st.Info
		if len(d.Fields) > 0 {
			text = detail.Join(d.Fields[0].Missing, 3) + ": " + d.Waiting
		} else {
			text = string(d.Kind) + ", " + d.Waiting
		}
	}
	s.Add(fmt.Sprintf("diff.%s.%s.%s.%s.%d", z.Name, d.Table, d.ID, d.UUID, i),
		widget.Line{{Text: "    " + sign + " ", Style: look}, {Text: what, Style: st.Accent}, {Text: "  " + text}}, to)
}

// short cuts a value that would take the whole line.
func short(s string) string { return widget.Truncate(s, 40) }

// conditionLines are what controllers reported.
func (v *View) conditionLines(env *view.Env, s *detail.Sheet) {
	st := env.Styles
	conditions := env.Rev.Conditions(v.key)
	if len(conditions) == 0 {
		return
	}
	s.Head("controllers reported · never proof")
	for _, c := range conditions {
		sign, look := "✓", st.OK
		if c.Status != "True" {
			sign, look = "●", st.Error
		}
		text := fmt.Sprintf("%s %s: controller reported %s", c.Type, c.Status, c.Reason)
		if !c.Changed.IsZero() {
			text += " at " + view.Clock(c.Changed, env.Now)
		}
		if c.Message != "" {
			text += ": " + c.Message
		}
		s.Say("condition."+c.Type, 0, sign, look, st.Text, text, nav.Page{})
	}
}

func (v *View) eventLines(env *view.Env, s *detail.Sheet) {
	st := env.Styles
	events := env.Rev.Events(v.key)
	if len(events) == 0 {
		return
	}
	s.Head("events")
	for i := len(events) - 1; i >= 0; i-- {
		e := events[i]
		sign, look := "·", st.Info
		if e.Type == "Warning" {
			sign, look = "▲", st.Warn
		}
		text := view.Clock(e.Last, env.Now) + "  " + e.Reason
		if e.Reporter != "" {
			text += " by " + e.Reporter
		}
		if e.Count > 1 {
			text += fmt.Sprintf(" (×%d)", e.Count)
		}
		s.Say("event."+e.Reason+"."+e.Reporter+"."+e.Message, 0, sign, look, st.Text, text+": "+e.Message, nav.Page{})
	}
}
