package matrix

import (
	"rung/engine/trace"
	"rung/model/verdict"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// Selection selects the ends and cells of a matrix.
type Selection struct {
	Focus   string                // the only namespace shown, or empty for all
	Swapped bool                  // rows are destinations
	Only    verdict.Verdict       // empty for all
	Reached []*revision.MatrixEnd // the ends that are only destinations
	Unread  *revision.Unread      // what is unread that pods depend on, nil if all was read
}

// AboutLine describes the content of a matrix.
func AboutLine(m *revision.Matrix, s Selection) page.Line {
	l := page.Line{{Text: trace.PortsText(m.Ports), Role: themes.Title}}
	add := func(text string, to page.Role) { l = append(l, page.Span{Text: " · " + text, Role: to}) }
	switch {
	case s.Focus != "":
		add("connections of "+s.Focus, themes.Text)
	case s.Swapped:
		add("to rows, from columns", themes.Text)
	default:
		add("from rows, to columns", themes.Text)
	}
	if s.Only != "" {
		add("only "+revision.CellLegend(s.Only), themes.Warn)
	}
	if s.Unread != nil && m.Pods == 0 {
		add(s.Unread.Text(), themes.Warn)
	} else {
		add(words.Count(len(m.Namespaces), "namespace")+", "+words.OneOrMany(m.Pods, "1 pod", "all "+words.Count(m.Pods, "pod")), themes.Dim)
	}
	services := 0
	for _, e := range s.Reached {
		if e.Service.Name != "" {
			services++
		}
	}
	if services > 0 {
		add(words.Count(services, "Service"), themes.Dim)
	}
	if n := len(s.Reached) - services; n > 0 {
		add(words.Count(n, "block")+" outside", themes.Dim)
	}
	if m.Empty > 0 {
		add(words.Thousands(m.Empty)+" without pods", themes.Dim)
	}
	return l
}

// LegendLine explains the signs.
func LegendLine() (l page.Line) {
	for i, c := range revision.CellVerdicts {
		if i > 0 {
			l = append(l, page.Span{Text: "  ", Role: themes.Dim})
		}
		l = append(l, CellSign(c), page.Span{Text: " " + revision.CellLegend(c), Role: themes.Dim})
	}
	return l
}

// CellSign returns the sign of a cell's verdict, a space without connections.
func CellSign(v verdict.Verdict) page.Span {
	switch v {
	case "":
		return page.Span{Text: " ", Role: themes.Dim}
	case verdict.Mixed:
		return page.Span{Text: words.Mixed, Role: themes.Pass}
	case verdict.NotApplicable:
		return page.Span{Text: page.None.Text, Role: page.None.Role}
	}
	return page.VerdictSign(v)
}
