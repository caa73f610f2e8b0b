package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/pages/cluster"
	"rung/revision"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// diffsShown bounds the differing rows listed for a zone.
const diffsShown = 12

// zoneLines describes the policy in every zone with differing rows, the shared units, the controllers'
// reports, and events.
func (v *View) zoneLines(env *view.Env) []detail.Line {
	st := env.Styles
	s := &detail.Sheet{St: st, W: env.W}
	s.AddHead("zones · judged by their rows alone")
	switch {
	case env.Rev.BySelectors(v.policy):
		s.AddNote("zones", 0, words.Unknown, st.Dim, st.Text, "None: the policy has no rows.")
	case len(env.Rev.Zones) == 0:
		s.AddNote("zones", 0, words.Unknown, st.Dim, st.Text, "No zones: not checked against live rows.")
	}
	wide := min(widget.WidestText(env.Rev.Zones, func(z *model.ZoneState) string { return z.Name }), 30) + 2
	v.reports = nil
	if v.key.Kind == model.KindANP || v.key.Kind == model.KindBANP { // controllers report on no other kind
		if p := cluster.ReportsOfPolicy(env.Rev, v.key, env.Now); p.Zones+p.Gone > 0 &&
			(len(env.Rev.Zones) > 0 || len(env.Rev.Conditions(v.key)) > 0) {
			v.reports = p
		}
	}
	v.listZones(env, s, wide)
	v.unitLines(env, s, wide)
	v.conditionLines(env, s)
	v.eventLines(env, s)
	return s.Lines
}

// listZones lists the zones, or if they are many those needing attention first; the others are counted.
func (v *View) listZones(env *view.Env, s *detail.Sheet, wide int) {
	zones := env.Rev.Zones
	if len(zones) > view.FoldZones {
		var left []*model.ZoneState
		zones, left = revision.ZonesNotInSync(env.Rev, v.key, view.FoldZones, env.Now)
		defer func() { v.restLine(env, s, left) }()
	}
	for _, z := range zones {
		v.zoneLine(env, s, v.key, z, wide)
	}
}

// restLine counts the zones not listed, by state.
func (v *View) restLine(env *view.Env, s *detail.Sheet, left []*model.ZoneState) {
	counts := map[model.PolicyState]int{}
	for _, z := range left {
		counts[z.PolicyJoin(v.key).StateAt(z, env.Now)]++
	}
	var parts []string
	for _, st := range slices.SortedFunc(maps.Keys(counts), model.PolicyState.Compare) {
		parts = append(parts, fmt.Sprintf("%s %s", words.Thousands(counts[st]), st))
	}
	if len(parts) > 0 {
		what := "and " + words.Count(len(left), "more zone")
		if len(left) == len(env.Rev.Zones) {
			what = words.Count(len(left), "zone")
		}
		s.Add("zones.more", widget.StyledLine(what+": "+strings.Join(parts, ", "), env.Styles.Accent), nav.NewPage(nav.Zones))
	}
}

// unitLines adds the units whose rows the policy shares with others: each over all zones, then each zone not
// in sync.
func (v *View) unitLines(env *view.Env, s *detail.Sheet, wide int) {
	units := env.Rev.RelatedUnits(v.key)
	if len(units) == 0 || len(env.Rev.Zones) == 0 {
		return
	}
	s.AddHead("rows it shares with other policies")
	for _, k := range units {
		sum := revision.SummarizePolicy(env.Rev, k, env.Now)
		z := env.Rev.Zone(sum.Zone)
		l := widget.StyledLine(k.Label(), env.Styles.Accent).Add("  ", env.Styles.Text)
		s.Add("unit."+k.String(), append(l, detail.UnitLine(env, k)...), detail.UnitPage(env.Rev, k, z))
		listed := 0
		for _, z := range env.Rev.Zones {
			if sum.InSync < sum.Zones && z.PolicyJoin(k).StateAt(z, env.Now) != model.StateInSync {
				listed++
				if listed > view.FoldZones {
					s.Add("unit.more."+k.String(), widget.StyledLine("  └ more zones like that", env.Styles.Accent), nav.NewPage(nav.Zones))
					break
				}
				v.zoneLine(env, s, k, z, wide)
			}
		}
	}
}

// zoneLine adds the state of the policy, or of a unit it shares, in a zone.
func (v *View) zoneLine(env *view.Env, s *detail.Sheet, k model.PolicyKey, z *model.ZoneState, wide int) {
	st := env.Styles
	p := z.PolicyJoin(k)
	state, rest := detail.ZoneState(env.Rev, k, z, env.Now)
	name := widget.StyledLine(z.Name, st.Accent)
	id := z.Name
	if k != v.key {
		name = append(widget.Line{{Text: "  "}}, name...)
		id = k.String() + "." + z.Name
	}
	l := detail.SideBySide(name, wide, detail.StateLine(state, rest, st))
	rows := detail.UnitPage(env.Rev, k, z)
	if p != nil && z.DB != nil && k == v.key && state != model.StateBehind && state != model.StateSettling {
		l = l.Add(fmt.Sprintf("  %s", words.Count(p.LiveACLs, "ACL")), st.Dim)
		if g := z.DB.PortGroupByName(revision.GroupName(env.Rev, v.key)); g != nil {
			l = l.Add(", "+words.Count(len(g.Ports), "port")+" here", st.Dim)
			if table, _ := revision.FindACLHolder(v.key); table != "" {
				l = l.Add(" in the group of namespace "+v.key.Namespace, st.Dim)
			}
		}
	}
	if k == v.key && v.reports != nil {
		if i := slices.IndexFunc(v.reports.Reports, func(r *cluster.ZoneReport) bool { return r.Zone == z.Name }); i >= 0 {
			l = append(l.Add("  ", st.Text), widget.CellLine(v.reports.Reports[i].AgedCell(), st)...)
		}
	}
	s.Add("zone."+id, l, rows)
	if p == nil {
		return
	}
	if p.Error != "" {
		s.AddParagraph("error."+id, 4, words.Failed, st.Error, st.Text, fmt.Sprintf("last write failed %s after %s: %s",
			detail.SinceText(p.ErrorAt, env.Now), words.Count(p.Tries, "try"), p.Error), nav.Page{Kind: nav.Activity, Zone: z.Name})
	}
	causes := revision.CausesBehind(env.Rev, z, p, env.Now)
	for i := range p.Diffs {
		if i == diffsShown {
			s.Add("more."+id, widget.StyledLine("    └ "+words.Thousands(len(p.Diffs)-i)+" more", st.Accent), rows)
			break
		}
		v.diffLine(env, s, k, z, &p.Diffs[i], i)
		if causes[i] != nil && (i == 0 || causes[i-1] == nil || *causes[i-1] != *causes[i]) {
			s.AddNote(fmt.Sprintf("known.%s.%d", id, i), 6, words.Noted, st.Info, st.Text, causes[i].Text()+"; "+causes[i].Remedy)
		}
	}
}

// diffLine adds a differing row and its differences.
func (v *View) diffLine(env *view.Env, s *detail.Sheet, k model.PolicyKey, z *model.ZoneState, d *model.RowDiff, i int) {
	st := env.Styles
	to := nav.Page{Kind: nav.Row, Zone: z.Name, Table: d.Table, UUID: d.UUID}
	if d.UUID == "" {
		to.ID = d.ID
	}
	what := detail.TableWord(d.Table)
	if d.ID == "" {
		what += " " + d.UUID
	} else if short := detail.ShortID(d.ID, k); d.Table != nb.TablePortGroup {
		what += " " + short
	}
	sign, look := words.Differs, st.Error
	text := string(d.Kind)
	var cols []string
	for j := range d.Fields {
		f := &d.Fields[j]
		if len(f.Missing)+len(f.Extra) > 0 {
			cols = append(cols, fmt.Sprintf("%s: %s missing, %s extra of %s desired", f.Column, words.Thousands(len(f.Missing)),
				words.Thousands(len(f.Extra)), f.Desired))
		} else {
			cols = append(cols, fmt.Sprintf("%s %s, desired %s", f.Column, shortValue(f.Live), shortValue(f.Desired)))
		}
	}
	text += words.Between(", ", d.Note, "")
	if len(cols) > 0 {
		text = strings.Join(cols, "; ")
	}
	if d.Waiting != "" {
		sign, look = words.Waiting, st.Info
		if len(d.Fields) > 0 {
			text = words.List(d.Fields[0].Missing, 3) + ": " + d.Waiting
		} else {
			text = string(d.Kind) + ", " + d.Waiting
		}
	}
	s.Add(fmt.Sprintf("diff.%s.%s.%s.%s.%d", z.Name, d.Table, d.ID, d.UUID, i),
		widget.Line{{Text: "    " + sign + " ", Style: look}, {Text: what, Style: st.Accent}, {Text: "  " + text}}, to)
}

// shortValue cuts a value that would fill the line.
func shortValue(s string) string { return widget.TruncateText(s, 40) }

// conditionLines adds the controllers' reports: counts, then each report. With many zones, only the messages
// of failed reports are listed.
func (v *View) conditionLines(env *view.Env, s *detail.Sheet) {
	conditions := env.Rev.Conditions(v.key)
	if len(conditions) == 0 && v.reports == nil {
		return
	}
	s.AddHead("reported by controllers · not verified")
	many := v.reports != nil && len(conditions) > view.FoldZones
	if v.reports != nil {
		v.reportLines(env, s, many)
	}
	for _, c := range conditions {
		zone, ok := strings.CutPrefix(c.Type, revision.ReadyPrefix)
		if !ok || !many {
			s.AddCondition("condition."+c.Type, &c, env.Now, env.Styles, v.controllerPage(env, words.Choose(ok, zone, "")))
		}
	}
}

// reportLines counts the reports of all zones, and adds the messages of failed ones, with a link to the first
// zone's controller.
func (v *View) reportLines(env *view.Env, s *detail.Sheet, messages bool) {
	st, p := env.Styles, v.reports
	sign, look := words.Yes, st.OK
	text := fmt.Sprintf("ready in %s of %s", words.Thousands(p.Ready), words.Count(p.Zones, "zone"))
	if p.Silent+p.Gone > 0 {
		sign, look = words.Unknown, st.Warn
	}
	if p.Failing+p.Against > 0 {
		sign, look = words.Failed, st.Error
		text += fmt.Sprintf(", not ready in %s, rows disagree in %s", words.Thousands(p.Failing), words.Thousands(p.Against))
	}
	for _, of := range []struct {
		what  string
		names []string
	}{{"no report", p.ZonesWithStatus(cluster.Silent)}, {"zone gone", p.ZonesWithStatus(cluster.Gone)}} {
		if len(of.names) > 0 {
			text += fmt.Sprintf(", %s: %s (%s)", of.what, words.Thousands(len(of.names)), words.List(of.names, 3))
		}
	}
	if !p.Oldest.IsZero() {
		text += fmt.Sprintf("; changed last %s to %s ago", words.Age(env.Now.Sub(p.Newest.Time)), words.Age(env.Now.Sub(p.Oldest.Time)))
	}
	s.AddParagraph("ready", 0, sign, look, st.Text, text, nav.NewPage(nav.Zones))
	if !messages {
		return
	}
	for _, f := range p.Failures {
		s.AddParagraph("ready."+f.Text, 2, words.Failed, st.Error, st.Text, f.String(), v.controllerPage(env, f.Zones[0]))
	}
}

// controllerPage returns the page with the log of a zone's controller.
func (v *View) controllerPage(env *view.Env, zone string) nav.Page {
	if zone == "" || env.Rev.Mode.Name != revision.ClusterMode {
		return nav.Page{}
	}
	return nav.Page{Kind: nav.Controller, Key: v.key, Zone: zone}
}

// troubledZone returns the zone whose controller to ask: the selected line's, else the first that reports a
// failure, else the worst by its rows.
func (v *View) troubledZone(env *view.Env) string {
	if to := v.zones.LinkedPage(); v.part == zonesPart && to.Zone != "" {
		return to.Zone
	}
	for _, c := range env.Rev.Conditions(v.key) {
		zone, ok := strings.CutPrefix(c.Type, revision.ReadyPrefix)
		if to := v.controllerPage(env, zone); ok && c.Status != "True" && to.Zone != "" {
			return to.Zone
		}
	}
	if z := revision.WorstZone(env.Rev, v.key, env.Now); z != nil {
		return z.Name
	}
	return revision.FirstZone(env.Rev)
}

// reportersShown bounds the named reporters of an event.
const reportersShown = 3

// eventLines lists the events of the policy, newest first; equal events of several controllers are one line.
func (v *View) eventLines(env *view.Env, s *detail.Sheet) {
	st := env.Styles
	events := revision.EventGroups(env.Rev, v.key)
	if len(events) == 0 {
		return
	}
	s.AddHead("events")
	for i := range events {
		e := &events[i]
		sign, look := words.Noted, st.Info
		if e.Type == "Warning" {
			sign, look = words.Warned, st.Warn
		}
		text := words.Clock(e.Last, env.Now) + " (" + words.Age(env.Now.Sub(e.Last)) + ")  " + e.Reason
		switch n := len(e.Reporters); {
		case n > reportersShown:
			text += fmt.Sprintf(" ×%s from %s zones", words.Thousands(e.Count), words.Thousands(n))
		case n > 0:
			text += " by " + words.List(e.Reporters, reportersShown)
		}
		if e.Count > 1 && len(e.Reporters) <= reportersShown {
			text += fmt.Sprintf(" (×%s)", words.Thousands(e.Count))
		}
		s.AddNote("event."+e.Type+"."+e.Reason+"."+e.Message, 0, sign, look, st.Text, text+": "+e.Message)
	}
}
