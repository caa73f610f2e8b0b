package trace

import (
	"fmt"

	"rung/engine/trace"
	"rung/model"
	pages "rung/pages/trace"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/widget"
)

// addPoints adds sentences, each with a link to its subject.
func (v *tracePage) addPoints(s *detail.Sheet, indent int, all ...pages.Point) {
	for i := range all {
		p := &all[i]
		s.AddParagraph(p.ID, indent+p.Indent, p.Sign.Text, s.St.TokenStyle(p.Sign.Role), s.St.TokenStyle(p.Role), p.Text+p.Zones,
			v.subjectPage(p.About))
	}
}

// subjectPage returns the page of a sentence's subject.
func (v *tracePage) subjectPage(about any) nav.Page {
	q := v.question
	switch x := about.(type) {
	case model.Key:
		return detail.ObjectPage(v.rev, x)
	case pages.PlacedRule:
		return detail.DeciderPage(v.rev, x.Decider, x.Zone)
	case *trace.Disagreement:
		return v.disagreementPage(x)
	case *trace.ServiceAnswer:
		q.To = trace.EndText(x.Service)
	case *trace.Path: // one endpoint of a Service, as if asked for directly
		q.To, q.Port = x.To.Addr.String(), int(x.To.Port)
		if x.To.Key.Name != "" {
			q.To = trace.EndText(x.To.Key)
		}
	default:
		return nav.Page{}
	}
	return nav.ToTrace(q.String())
}

// disagreementPage returns the page of the row that makes policies and rows disagree.
func (v *tracePage) disagreementPage(g *trace.Disagreement) nav.Page {
	switch z := v.rev.Zone(g.Zone); {
	case g.Row.UUID != "":
		return nav.ToRow(g.Zone, g.Row.Table, g.Row.UUID)
	case g.Row.ID != "":
		return nav.Page{Kind: nav.Row, Zone: g.Zone, Table: g.Row.Table, ID: g.Row.ID}
	case z != nil && g.Finding.Policy.Name != "":
		return detail.UnitPage(v.rev, g.Finding.Policy, z)
	}
	return nav.Page{Kind: nav.Rows, Zone: g.Zone}
}

// tierColumn is the least width of the column of tiers.
const tierColumn = 7

// addStage adds one stage: its verdict, the rules tried tier by tier, and the rows' answer.
func (v *tracePage) addStage(s *detail.Sheet, id string, p *trace.Path, stage *trace.Stage) {
	const frame = 4 // of the heading
	title := pages.StageTitle(p, stage, false)
	if widget.TextWidth(title)+frame > s.TextWidth() {
		title = pages.StageTitle(p, stage, true)
	}
	s.AddHead(title)
	tried, others := pages.TriedRules(stage, v.showsAll)
	tier, wide, column := "", 0, tierColumn
	for i := range tried {
		wide, column = max(wide, len(tried[i].Result)), max(column, len(tried[i].Name())+1)
	}
	for i := range tried {
		l, name, to := &tried[i], "", nav.Page{}
		if l.Tier >= 0 && l.Name() != tier {
			tier, name = l.Name(), l.Name()
		}
		if l.Rule != nil {
			to = detail.DeciderPage(v.rev, l.Rule, stage.Zone)
		}
		look := s.St.TokenStyle(l.Role)
		s.AddIndented(id+"."+l.ID, widget.Line{{Text: fmt.Sprintf("%-*s", column, name), Style: s.St.Dim},
			{Text: l.Sign.Text + " ", Style: s.St.TokenStyle(l.Sign.Role)},
			{Text: fmt.Sprintf("%-*s ", wide, l.Result), Style: look}}, 2, l.Text, look, to)
	}
	if others != "" {
		s.Add(id+".others", widget.StyledLine("       · "+others, s.St.Dim), nav.Page{})
	}
	v.addPoints(s, tierColumn, pages.StagePoints(stage, id)...)
	said, sign, text := pages.ByRows(stage)
	if text == "" {
		return
	}
	to := nav.Page{}
	if z := v.rev.Zone(stage.Zone); z != nil && stage.Rows.Decided != nil {
		if row := trace.FindRow(z, stage.Rows.Decided.ACL); row.UUID != "" {
			to = nav.ToRow(stage.Zone, row.Table, row.UUID)
		}
	}
	// The sign of a verdict is next to it, the sign of a disagreement at the start.
	head := widget.Line{{Text: "rows   " + said, Style: s.St.Dim}, {Text: sign.Text + " ", Style: s.St.TokenStyle(sign.Role)}}
	s.AddIndented(id+".rows", head, 2, text, s.St.Dim, to)
}
