package cluster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/ui/view"
	"rung/ui/widget"
)

// otherStates counts the states except in sync, worst first: "2 behind, 3 stale".
func otherStates(o *revision.PolicySummary) string {
	return strings.Join(model.MapList(o.StatesNotInSync(), func(s model.PolicyState) string {
		return words.Thousands(len(o.NotInSync[s])) + " " + string(s)
	}), ", ")
}

// countNotInSync counts the zones where something is not in sync but could be.
func countNotInSync(o *revision.PolicySummary) int {
	if o.HasNoRows {
		return 0
	}
	return o.Zones - o.InSync
}

// summaryLines returns the policies in order of precedence; namespaced policies and other rows only if some zone
// differs.
func (v *zonesPage) summaryLines(r *revision.Revision) (lines []*policyLine) {
	differ := map[model.PolicyKey]bool{}
	for _, it := range v.items {
		if it.Tally == nil {
			continue
		}
		for _, d := range it.Tally.Differ {
			differ[d.Key] = true
		}
	}
	var keys []model.PolicyKey
	for _, k := range ladder.PolicyOrder(r.Cluster) {
		if k.Kind.IsAdmin() || differ[k] {
			keys = append(keys, k)
			delete(differ, k)
		}
	}
	for _, k := range append(keys, slices.SortedFunc(maps.Keys(differ), model.Key.Compare)...) {
		l := &policyLine{key: k, reports: v.reports[k], summary: revision.SummarizePolicy(r, k, v.now)}
		if p := r.Cluster.Policy(k); p != nil && k.Kind == model.KindANP {
			l.prio = strconv.Itoa(int(p.Priority))
		}
		lines = append(lines, l)
	}
	return lines
}

// summaryColumns returns the lower table's columns for many zones.
func (v *zonesPage) summaryColumns() []widget.TableColumn[*policyLine] {
	return append(v.policyColumns(), []widget.TableColumn[*policyLine]{
		{Title: "IN SYNC", Help: "zones where its rows are as desired", Cell: func(l *policyLine) widget.Line {
			if l.summary.HasNoRows {
				return widget.StyledLine("–", v.st.Dim)
			}
			look := words.Choose(l.summary.InSync < l.summary.Zones, v.st.Warn, v.st.OK)
			return widget.StyledLine(fmt.Sprintf("%s of %s", words.Thousands(l.summary.InSync), words.Thousands(l.summary.Zones)), look)
		}, Less: func(a, b *policyLine) int { return cmp.Compare(countNotInSync(&b.summary), countNotInSync(&a.summary)) }},
		{Title: "OTHERWISE", Help: "its states elsewhere", Drop: 1, Cell: func(l *policyLine) widget.Line {
			return widget.StyledLine(otherStates(&l.summary), view.StateStyle(l.summary.State, v.st))
		}},
		v.reportedColumn(),
		{Title: "WORST IN", Help: "the zones where it is worst", Min: 16, Flex: true, NoSort: true,
			Cell: func(l *policyLine) widget.Line { return v.worstIn(l, maxWorstZones) },
			Fit: func(l *policyLine, w int) (cell widget.Line) {
				for n := maxWorstZones; n > 0; n-- {
					cell = v.worstIn(l, n)
					if cell.LineWidth() <= w {
						break
					}
				}
				return cell
			}},
	}...)
}

// maxWorstZones bounds the named worst zones of a policy.
const maxWorstZones = 3

// worstIn names the zones where a policy is worst, at most names of them. Nil if nothing needs repair, or if
// every zone is equally bad; unread zones are shown above.
func (v *zonesPage) worstIn(l *policyLine, names int) widget.Line {
	worst := l.summary.State
	zones := l.summary.NotInSync[worst]
	if !worst.IsWorseThan(model.StateNotEnforced) || len(zones) == l.summary.Zones {
		return nil
	}
	return widget.Line{{Text: page.StateSign(worst) + " ", Style: view.StateStyle(worst, v.st)}, {Text: words.List(zones, names)}}
}

// sumLines summarizes many zones: how many can be read, how many differ, and the progress of the sweep; nil
// for few.
func (v *zonesPage) sumLines(env *view.Env, w int) []string {
	if len(v.items) <= manyZones {
		return nil
	}
	st, t := env.Styles, view.TallyZones(env.Rev, env.Now)
	l := append(widget.Line{{Text: " " + words.Count(t.All, "zone") + "  "}}, t.TallyLine(st, true)...)
	n := 0
	for _, it := range v.items {
		if it.HasDifferences() {
			n++
		}
	}
	if n > 0 {
		l = l.Add(fmt.Sprintf("  "+words.Differs+" rows differ in %s", words.Thousands(n)), st.Error)
	} else {
		l = l.Add("  "+words.Yes+" no row differs in the zones read", st.OK)
	}
	out := []string{l.Render(w)}
	if line := view.SweepLine(env.Rev.Sweep, t, env.Now); line != "" {
		l := widget.StyledLine(" "+line, st.Dim)
		if s, room := env.Rev.Sweep, w-widget.TextWidth(line)-2; s.Read < s.Total && room >= 4 {
			l = widget.JoinLines(widget.PlainLine(" "), widget.ProgressBar(st, st.Info, int64(s.Read), int64(s.Total), min(room, 10)), l)
		}
		out = append(out, l.Render(w))
	}
	return out
}
