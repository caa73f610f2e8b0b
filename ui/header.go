package ui

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/pages/zones"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/view"
	"rung/ui/widget"
)

// header is the line at the top: what this is, what may be changed, how much
// there is and how it is.
func (m *root) header(w int) string { return m.headerLine(w).Render(w) }

func (m *root) headerLine(w int) widget.Line {
	st, r := m.styles, m.rev
	title := r.Mode.Title
	if title == "" {
		title = r.Mode.Name
	}
	ps := []piece{
		{widget.Line{{Text: " rung", Style: st.Title}}, 0},
		{widget.Line{{Text: widget.CutName(title, 40), Style: st.Accent}}, 4},
		{m.zones(w), 3},
		{m.badge(), 0},
	}
	mode := len(ps) - 1
	if r.Mode.Server != "" {
		// Two contexts may have one name: the server says which cluster it is.
		_, host, _ := strings.Cut(r.Mode.Server, "://")
		ps = slices.Insert(ps, 2, piece{widget.Styled(widget.CutName(host, 40), st.Dim), 5})
		mode++
	}
	if text, short := r.Mode.Traffic(); text != "" {
		if w < wideHeader {
			text = short
		}
		ps = append(ps, piece{widget.Styled(text, st.Info), 5})
	}
	if trial := m.trialBadge(w); trial != nil {
		ps = slices.Insert(ps, mode+1, piece{trial, -1})
		mode++
	}
	var stale []piece
	for _, s := range r.Sources {
		if s.Conn == model.ConnLost || s.Conn == model.ConnDenied {
			age := ""
			if !s.ReadAt.IsZero() {
				age = ", read " + words.Age(m.now.Sub(s.ReadAt)) + " ago"
			}
			stale = append(stale, piece{widget.Styled("● "+s.Name+" "+string(s.Conn)+age, st.Error), 2})
		}
	}
	c := m.counts
	ps = append(ps, stale...)
	ps = append(ps,
		piece{widget.Plain(c.policies(r.Antrea())), 6},
		piece{widget.Plain(fmt.Sprintf("pods %d", c.pods)), 7})
	f := widget.Line{{Text: findingsTitle + " "}}
	if c.Lag(m.now) {
		f = widget.Line{{Text: findingsTitle + "~", Style: st.Dim}} // of a moment ago
	}
	if key := m.keys.Action(action.GoFindings).Shown(); key != "" && w >= keyedHeader {
		f = append(widget.Styled(key+" ", st.Key), f...)
	}
	n := c.findings
	if w < wideHeader && n.Errors+n.Warnings > 0 {
		n.Infos = 0 // there is no room for them beside what matters more
	}
	f = append(f, detail.FindingCount(n, st)...)
	ps = append(ps, piece{f, 1}, piece{widget.Styled(fmt.Sprintf("rev %d", r.Number), st.Dim), 8})
	return m.withPlan(ps, w, mode+1)
}

// findingsTitle stands before the count of findings.
const findingsTitle = "findings"

// onFindings says whether a cell of the header is in the count of findings, which leads to
// their page.
func (m *root) onFindings(x int) bool {
	text := m.headerLine(m.w).String()
	at := strings.LastIndex(text, findingsTitle) // a context may be called so
	if at < 0 {
		return false
	}
	count, _, _ := strings.Cut(text[at:], "  ")
	from := widget.Width(text[:at])
	return x >= from && x < min(from+widget.Width(count), m.w)
}

// zones are the zones with a mark each, or counted by mark where they are many.
func (m *root) zones(w int) widget.Line {
	st, all := m.styles, m.rev.Zones
	if m.rev.Antrea() {
		return widget.Styled("Antrea: no zones", st.Text)
	}
	l := widget.Styled(words.Count(len(all), "zone")+" ", st.Text)
	if len(all) > view.FoldZones {
		return append(l, view.TallyOf(m.rev, m.now).Line(st, w >= wideHeader)...)
	}
	for _, z := range all {
		l = append(l, widget.SpanOf(zones.Mark(m.rev, z, m.now), st))
	}
	return l
}

// keyedHeader is how wide the screen must be for the key of a count beside it.
const keyedHeader = 100

// wideHeader is how wide the screen must be for words beside marks, and for findings that
// are information only.
const wideHeader = 130

// badge says whether changes are possible, and to what.
func (m *root) badge() widget.Line {
	st, mode := m.styles, m.rev.Mode
	l := widget.Line{}
	if mode.Sandbox {
		l = l.Add(" SANDBOX ", st.Badge).Add(" ", st.Text)
	}
	if mode.Writes {
		if mode.Sandbox && !mode.WriteBack {
			return l.Add("writes", st.OK)
		}
		text := " WRITES "
		if mode.WriteBack {
			text = " WRITES FILES "
		}
		return l.Add(text, st.Alarm)
	}
	l = l.Add(" READ-ONLY ", st.Badge)
	if mode.Reconciles && !mode.Sandbox {
		l = l.Add(" WRITES ROWS ", st.Alarm)
	}
	if key := m.keys.Action(action.Writes).Shown(); mode.WhyNot == "" && key != "" {
		l = l.Add(" "+key+" to allow changes", st.Dim)
	}
	return l
}
