package zones

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rung/engine/revision"
	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/ui/detail"
	"rung/ui/view"
	"rung/ui/widget"
)

// over is a policy over many zones.
type over struct {
	zones, inSync int
	states        map[model.PolicyState]int // but in sync
	worst         model.PolicyState
	names         []string // of the zones that are worst
}

// others are the counts of states but in sync, worst first: "2 behind, 3 stale".
func (o *over) others() string {
	states := make([]model.PolicyState, 0, len(o.states))
	for s := range o.states {
		states = append(states, s)
	}
	slices.SortFunc(states, func(a, b model.PolicyState) int {
		if a.Worse(b) {
			return -1
		}
		return 1
	})
	parts := make([]string, len(states))
	for i, s := range states {
		parts[i] = strconv.Itoa(o.states[s]) + " " + string(s)
	}
	return strings.Join(parts, ", ")
}

// overZones are the policies in the order in which they decide, those of one
// namespace and other rows only where they are behind or frozen.
func (v *zones) overZones(r *revision.Revision) (lines []*line) {
	differ := map[model.PolicyKey]bool{}
	for _, it := range v.items {
		for _, d := range it.differ {
			differ[d.key] = true
		}
	}
	var keys []model.PolicyKey
	for _, k := range ladder.Order(r.Cluster) {
		if k.Kind.IsAdmin() || differ[k] {
			keys = append(keys, k)
			delete(differ, k)
		}
	}
	var rest []model.PolicyKey
	for k := range differ {
		rest = append(rest, k)
	}
	slices.SortFunc(rest, model.Key.Compare)
	for _, k := range append(keys, rest...) {
		l := &line{key: k, over: countOver(r, k, v.now)}
		if p := r.Cluster.Policy(k); p != nil && k.Kind == model.KindANP {
			l.prio = strconv.Itoa(int(p.Priority))
		}
		lines = append(lines, l)
	}
	return lines
}

// countOver judges a policy in every zone.
func countOver(r *revision.Revision, k model.PolicyKey, now time.Time) over {
	o := over{states: map[model.PolicyState]int{}, worst: model.StateInSync}
	for _, z := range r.Zones {
		if !r.InZone(k, z.Name) {
			continue
		}
		o.zones++
		s := z.Policy(k).State(z, now)
		if s == model.StateInSync {
			o.inSync++
			continue
		}
		o.states[s]++
		if s.Worse(o.worst) {
			o.worst, o.names = s, nil
		}
		if s == o.worst {
			o.names = append(o.names, z.Name)
		}
	}
	return o
}

// overColumns are those of the lower table where zones are many.
func (v *zones) overColumns() []widget.Column[*line] {
	return []widget.Column[*line]{
		{Title: "PRIO", Right: true, Cell: func(l *line) widget.Line { return widget.Plain(l.prio) }},
		{Title: "POLICY", Min: 12, Max: 30, Cell: func(l *line) widget.Line { return widget.Styled(name(l.key), v.st.Accent) }},
		{Title: "IN SYNC", Cell: func(l *line) widget.Line {
			look := v.st.OK
			if l.over.inSync < l.over.zones {
				look = v.st.Warn
			}
			return widget.Styled(fmt.Sprintf("%d of %d", l.over.inSync, l.over.zones), look)
		}, Less: func(a, b *line) int { return cmp.Compare(b.over.zones-b.over.inSync, a.over.zones-a.over.inSync) }},
		{Title: "OTHERWISE", Drop: 1, Cell: func(l *line) widget.Line { return widget.Styled(l.over.others(), view.StateStyle(l.over.worst, v.st)) }},
		{Title: "WORST IN", Min: 16, Flex: true, NoSort: true, Cell: func(l *line) widget.Line {
			if !l.over.worst.Worse(model.StateNotEnforced) || len(l.over.names) == l.over.zones {
				return nil // nothing to mend, or everywhere; which zones are not read is told above
			}
			return widget.Line{{Text: detail.StateSign(l.over.worst) + " ", Style: view.StateStyle(l.over.worst, v.st)}, {Text: words.List(l.over.names, 3)}}
		}},
	}
}

// sums are the lines over the zones where they are many: how many can be read, how
// many differ, and how far the sweep is.
func (v *zones) sums(env *view.Env, w int) []string {
	if len(v.items) <= manyZones {
		return nil
	}
	st, t := env.Styles, view.TallyOf(env.Rev.Zones)
	l := append(widget.Line{{Text: " " + words.Total(t.All, "zone") + "  "}}, t.Line(st, true)...)
	n := 0
	for _, it := range v.items {
		if len(it.differ) > 0 {
			n++
		}
	}
	if n > 0 {
		l = l.Add(fmt.Sprintf("  ≠ rows differ in %d", n), st.Error)
	} else {
		l = l.Add("  ✓ no row differs where they were read", st.OK)
	}
	out := []string{l.Render(w)}
	if line := view.SweepLine(env.Rev.Sweep, t, env.Now); line != "" {
		l := widget.Styled(" "+line, st.Dim)
		if s, room := env.Rev.Sweep, w-widget.Width(line)-2; s.Read < s.Total && room >= 4 {
			l = widget.Join(widget.Plain(" "), widget.Bar(st, st.Info, int64(s.Read), int64(s.Total), min(room, 10)), l)
		}
		out = append(out, l.Render(w))
	}
	return out
}
