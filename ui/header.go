package ui

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// header is the line at the top: what this is, what may be changed, how much
// there is and how it is.
func (m *root) header(w int) string {
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
	if r.Mode.Server != "" {
		// Two contexts may have one name: the server says which cluster it is.
		_, host, _ := strings.Cut(r.Mode.Server, "://")
		ps = slices.Insert(ps, 2, piece{widget.Styled(widget.CutName(host, 40), st.Dim), 5})
	}
	if r.Mode.Simulated {
		ps = append(ps, piece{widget.Styled("simulated traffic", st.Info), 5})
	}
	var stale []piece
	for _, s := range r.Sources {
		if s.Conn == model.ConnLost || s.Conn == model.ConnDenied {
			age := ""
			if !s.ReadAt.IsZero() {
				age = ", read " + view.Age(m.now.Sub(s.ReadAt)) + " ago"
			}
			stale = append(stale, piece{widget.Styled("● "+s.Name+" "+string(s.Conn)+age, st.Error), 2})
		}
	}
	c := m.counts
	ps = append(ps, stale...)
	ps = append(ps,
		piece{widget.Plain(fmt.Sprintf("ANP %d · BANP %d · NP %d · EF %d", c.anp, c.banp, c.np, c.ef)), 6},
		piece{widget.Plain(fmt.Sprintf("pods %d", c.pods)), 7})
	f := widget.Line{{Text: "findings "}}
	if c.lag(m.now) {
		f = widget.Line{{Text: "findings~", Style: st.Dim}} // of a moment ago
	}
	if c.errors+c.warnings == 0 {
		f = f.Add("none", st.OK)
	} else {
		f = f.Add(fmt.Sprintf("▲%d", c.warnings), st.Warn).Add(fmt.Sprintf(" ●%d", c.errors), st.Error)
	}
	ps = append(ps, piece{f, 1}, piece{widget.Styled(fmt.Sprintf("rev %d", r.Number), st.Dim), 8})
	return fit(ps, w, 2).Render(w)
}

// zones are the zones with a mark each, or counted by mark where they are many.
func (m *root) zones(w int) widget.Line {
	st, all := m.styles, m.rev.Zones
	l := widget.Styled(words.Count(len(all), "zone")+" ", st.Text)
	if len(all) > view.FoldZones {
		return append(l, view.TallyOf(all).Line(st, w >= wideHeader)...)
	}
	for _, z := range all {
		l = append(l, view.ZoneMark(z, st))
	}
	return l
}

// wideHeader is how wide the screen must be for words beside marks.
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
