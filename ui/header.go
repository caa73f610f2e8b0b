package ui

import (
	"fmt"
	"strings"

	"rung/model"
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
	zones := widget.Line{{Text: fmt.Sprintf("%d zones ", len(r.Zones)), Style: st.Text}}
	if len(r.Zones) == 1 {
		zones[0].Text = "1 zone "
	}
	for i, z := range r.Zones {
		if i == 12 {
			zones = zones.Add("…", st.Dim)
			break
		}
		zones = append(zones, view.ZoneMark(z, st))
	}
	ps := []piece{
		{widget.Line{{Text: " rung", Style: st.Title}}, 0},
		{m.place(title), 4},
		{zones, 3},
		{m.badge(), 0},
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

// place is what is looked at: on a cluster the context and, where there is room,
// its API server, since two contexts may have one name.
func (m *root) place(title string) widget.Line {
	l := widget.Line{{Text: widget.Truncate(title, 40), Style: m.styles.Accent}}
	if server := m.rev.Mode.Server; server != "" && m.w >= wideHeader {
		_, host, _ := strings.Cut(server, "://")
		l = l.Add(" "+widget.Truncate(host, 40), m.styles.Dim)
	}
	return l
}

// wideHeader is how wide the screen must be for the API server's address.
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
