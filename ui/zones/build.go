package zones

import (
	"fmt"
	"strconv"
	"strings"

	"rung/engine"
	"rung/model"
	"rung/ui/view"
	"rung/ui/widget"
)

func (v *zones) inSync(z *model.ZoneState) widget.Line {
	n, all := 0, 0
	for _, p := range z.Policies {
		all++
		if p.State(z, v.now) == model.StateInSync {
			n++
		}
	}
	style := v.st.Warn
	if n == all {
		style = v.st.OK
	}
	return widget.Styled(fmt.Sprintf("%d/%d", n, all), style)
}

// trouble is what is wrong with a zone in a few words.
func trouble(z *model.ZoneState) string {
	var parts []string
	if z.Paused != "" {
		parts = append(parts, "writing paused: "+z.Paused)
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
func (v *zones) troubles(env *view.Env, w, most int) []string {
	var lines []string
	at := v.zones.SelectedID()
	for _, only := range []bool{true, false} {
		for _, z := range env.Rev.Zones {
			text := trouble(z)
			if text == "" || (z.Name == at) != only || len(lines) == most {
				continue
			}
			lines = append(lines, widget.Line{{Text: "  ● ", Style: v.st.Error}, {Text: z.Name + "  ", Style: v.st.Accent}, {Text: text}}.Render(w))
		}
	}
	return lines
}

// engineOrder is the policies that have rows, as they decide.
func engineOrder(r *engine.Revision) (keys []model.PolicyKey) {
	for _, k := range model.Order(r.Cluster) {
		if k.Kind.IsAdmin() {
			keys = append(keys, k)
		}
	}
	return keys
}

// columns gives the lower table one column per zone.
func (v *zones) columns(zs []*model.ZoneState) {
	same := len(zs) == len(v.names) && len(v.policies.Columns) > 0
	for i := range zs {
		same = same && v.names[i] == zs[i].Name
	}
	if same {
		return
	}
	v.names = v.names[:0]
	cols := []widget.Column[*line]{
		{Title: "PRIO", Right: true, Cell: func(l *line) widget.Line { return widget.Plain(l.prio) }},
		{Title: "POLICY", Min: 12, Max: 34, Cell: func(l *line) widget.Line { return widget.Styled(l.key.Name, v.st.Accent) }},
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
	cols = append(cols, widget.Column[*line]{Min: 8, Flex: true, NoSort: true, Drop: 1, Cell: func(l *line) widget.Line { return l.why }})
	v.policies.Columns = cols
}

func (v *zones) line(r *engine.Revision, k model.PolicyKey) *line {
	l := &line{key: k}
	if p := r.Cluster.Policy(k); p != nil && k.Kind == model.KindANP {
		l.prio = strconv.Itoa(int(p.Priority))
	}
	for _, z := range r.Zones {
		p := z.Policy(k)
		s := p.State(z, v.now)
		text := string(s)
		if p != nil && (s == model.StateBehind || s == model.StateSettling) {
			text += " " + strconv.Itoa(p.Missing+p.Extra+p.Different)
		}
		l.cells = append(l.cells, widget.Styled(text, view.StateStyle(s, v.st)))
		if p != nil && p.Error != "" && l.why == nil {
			l.why = widget.Styled(fmt.Sprintf("● %s: %s (%d tries)", z.Name, p.Error, p.Tries), v.st.Error)
		}
	}
	if none := r.None(k); none != nil && l.why == nil {
		l.why = widget.Styled(none.Message, v.st.Warn)
	}
	return l
}
