package cluster

import (
	"rung/pages/cluster"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// fullNames is the least width for resource names with their group.
const fullNames = 110

// addSection adds a section of the page.
func addSection(env *view.Env, s *detail.Sheet, part *cluster.Section) {
	s.AddHead(part.Title)
	short := env.W < fullNames
	width := part.NameWidth(short)
	for i := range part.Entries {
		e := &part.Entries[i]
		to := nav.Page{}
		if e.To != "" {
			to = nav.NewPage(nav.PageKind(e.To))
		}
		value := widget.StyledSpans(e.Value, env.Styles)
		if e.Name == "" {
			s.AddParagraph(e.ID, e.Indent, e.Sign.Text, env.Styles.TokenStyle(e.Sign.Role), env.Styles.TokenStyle(e.Value[0].Role),
				e.Value.String(), to)
			continue
		}
		name := widget.StyledLine(e.Name, env.Styles.Dim)
		if e.Sign.Text != "" {
			name = widget.Line{widget.StyledSpan(e.Sign, env.Styles), {Text: " "}, {Text: e.NameIn(short)}}
		}
		for j, l := range value.FlowLine(s.TextWidth()-width, s.TextWidth()-width) {
			if j == 0 {
				s.Add(e.ID, detail.SideBySide(name, width, l), to)
			} else {
				s.AddSkipped(detail.SideBySide(nil, width, l))
			}
		}
	}
}
