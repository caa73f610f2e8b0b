package zones

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rung/engine/revision"
	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/ui/view"
	"rung/ui/widget"
)

// inSync counts the policies of a zone that are in sync, of those that can be.
func (v *zones) inSync(z *item) widget.Line {
	style := v.st.Warn
	if z.InSync == z.ZoneTally.Policies {
		style = v.st.OK
	}
	return widget.Styled(z.Short(), style)
}

// rowCount is how many rows were read last.
func rowCount(z *item) string {
	if z.SyncedAt.IsZero() {
		return "–"
	}
	return words.Thousands(z.RowCount())
}

// trouble is what is wrong with a zone in a few words.
func trouble(z *model.ZoneState) string {
	var parts []string
	if z.Paused != "" {
		parts = append(parts, "writing paused: "+z.Paused)
	}
	if n := len(z.Disowned); n > 0 {
		d := &z.Disowned[0]
		parts = append(parts, words.Total(n, "row")+" of Rung's lost the owner ids: "+d.Table+" "+d.UUID+" was of "+d.Was.Label())
	}
	if z.Error != "" {
		parts = append(parts, z.Error)
	}
	if z.Attempts > 1 {
		parts = append(parts, fmt.Sprintf("%d attempts", z.Attempts))
	}
	return strings.Join(parts, " · ")
}

// troubles are the lines below the zones that say what is wrong, the zone under
// the cursor first.
func (v *zones) troubles(w, most int) []string {
	var lines []string
	at := v.zones.SelectedID()
	for _, only := range []bool{true, false} {
		for _, z := range v.items {
			text := trouble(z.ZoneState)
			if text == "" || (z.Name == at) != only || len(lines) == most {
				continue
			}
			lines = append(lines, widget.Line{{Text: "  ● ", Style: v.st.Error}, {Text: z.Name + "  ", Style: v.st.Accent}, {Text: text}}.Render(w))
		}
	}
	for i, f := range v.found {
		if len(lines) >= most || i == foundShown {
			lines = append(lines, widget.Styled(fmt.Sprintf("  ▲ %d more by comparing the zones: rung zones --check", len(v.found)-i), v.st.Warn).Render(w))
			break
		}
		lines = append(lines, widget.Line{{Text: "  ▲ ", Style: v.st.Warn}, {Text: f.Policy.Label() + "  ", Style: v.st.Accent}, {Text: f.Message}}.Render(w))
	}
	return lines
}

// foundShown is how many findings have a line of their own.
const foundShown = 2

// compare takes what comparing the zones finds, but for what is only settling.
func (v *zones) compare(r *revision.Revision) {
	v.found = r.StandingZoneFindings(v.now)
}

// shown are what the lower table lists: the policies as they decide, what only
// rows are left of, and of the units that are no objects those that are not in
// sync in some zone.
func shown(r *revision.Revision, now time.Time) []model.PolicyKey {
	seen := map[model.PolicyKey]bool{}
	var others []model.PolicyKey
	for _, z := range r.Zones {
		for k, p := range z.Policies {
			if !seen[k] && r.Cluster.Policy(k) == nil && (k.Kind.IsPolicy() || r.InZone(k, z.Name) && p.State(z, now) != model.StateInSync) {
				seen[k] = true
				others = append(others, k)
			}
		}
	}
	slices.SortFunc(others, model.Key.Compare)
	return append(ladder.Order(r.Cluster), others...)
}

// columns gives the lower table one column per zone.
func (v *zones) columns(zs []*model.ZoneState) {
	if len(zs) > manyZones {
		if v.names != nil || len(v.policies.Columns) == 0 {
			v.names, v.policies.Columns = nil, v.overColumns()
		}
		return
	}
	if v.names != nil && slices.EqualFunc(zs, v.names, func(z *model.ZoneState, name string) bool { return z.Name == name }) {
		return
	}
	v.names = make([]string, 0, len(zs))
	cols := []widget.Column[*line]{
		{Title: "PRIO", Right: true, Cell: func(l *line) widget.Line { return widget.Plain(l.prio) }},
		{Title: "POLICY", Name: true, Min: 12, Cell: func(l *line) widget.Line { return widget.Styled(l.key.Brief(), v.st.Accent) }},
	}
	for i, z := range zs {
		v.names = append(v.names, z.Name)
		cols = append(cols, widget.Column[*line]{Title: z.Name, Min: 8, Max: 22, Drop: 2 + i, Cell: func(l *line) widget.Line {
			if i < len(l.cells) {
				return l.cells[i]
			}
			return nil
		}})
	}
	cols = append(cols, widget.Column[*line]{Min: 8, Flex: true, NoSort: true, Drop: 1, Cell: func(l *line) widget.Line { return l.why },
		Fit: func(l *line, w int) widget.Line { return l.why.CutWords(w) }})
	v.policies.Columns = cols
}

func (v *zones) line(r *revision.Revision, k model.PolicyKey) *line {
	l := &line{key: k}
	if p := r.Cluster.Policy(k); p != nil && k.Kind == model.KindANP {
		l.prio = strconv.Itoa(int(p.Priority))
	}
	for _, z := range r.Zones {
		if !r.InZone(k, z.Name) {
			l.cells = append(l.cells, widget.Styled("–", v.st.Dim))
			continue
		}
		p := z.Policy(k)
		s := p.State(z, v.now)
		text := string(s)
		if p != nil && (s == model.StateBehind || s == model.StateSettling) {
			text += " " + strconv.Itoa(p.Missing+p.Extra+p.Different)
		}
		l.cells = append(l.cells, widget.Styled(text, view.StateStyle(s, v.st)))
		if p != nil && p.Error != "" && l.why == nil {
			l.why = widget.Styled(fmt.Sprintf("● %s: %s (%d×)", z.Name, p.Error, p.Tries), v.st.Error)
		}
	}
	if none := r.None(k); none != nil && l.why == nil {
		l.why = widget.Styled(none.Message, v.st.Warn)
	}
	return l
}
