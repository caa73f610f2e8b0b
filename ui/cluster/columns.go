package cluster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/ui/view"
	"rung/ui/widget"
)

// zoneForm is the form of the zones' columns in the lower table: every zone has one at any width.
type zoneForm int

const (
	fullTexts  zoneForm = iota // names and states in words
	shortNames                 // names without common parts
	signsOnly                  // numbers and signs, with a legend above
	noForm                     // not chosen yet
)

// mostName bounds the width of policy names when choosing a form: longer ones are cut in their middle instead.
const mostName = 32

// mark is the width of the cursor mark.
const mark = 2

// narrowWidths computes the widths that the forms of the lower table need.
func (v *zonesPage) narrowWidths(lines []*policyLine) {
	name, prio := 0, len("PRIO")
	for _, l := range lines {
		name = max(name, min(mostName, widget.TextWidth(l.key.ShortLabel())))
	}
	for f := fullTexts; f < signsOnly; f++ {
		w := mark + prio + 1 + max(name, len("POLICY"))
		for i, title := range v.zoneTitles(f) {
			cell := widget.TextWidth(title)
			for _, l := range lines {
				if i < len(l.cells) {
					cell = max(cell, l.cells[i].LineWidth())
				}
			}
			w += 1 + cell
		}
		v.needs[f] = w
	}
}

// zoneTitles returns the titles of the zones' columns.
func (v *zonesPage) zoneTitles(f zoneForm) []string {
	switch f {
	case shortNames:
		return distinctParts(v.names)
	case signsOnly:
		out := make([]string, len(v.names))
		for i := range out {
			out[i] = strconv.Itoa(i + 1)
		}
		return out
	}
	return v.names
}

// distinctParts removes common beginnings and ends of names, up to a separator: "worker" and "worker2" from
// "ovn-worker" and "ovn-worker2".
func distinctParts(names []string) []string {
	if len(names) < 2 {
		return names
	}
	head, tail := names[0], names[0]
	for _, n := range names[1:] {
		for !strings.HasPrefix(n, head) {
			head = head[:len(head)-1]
		}
		for !strings.HasSuffix(n, tail) {
			tail = tail[1:]
		}
	}
	head = head[:strings.LastIndexAny(head, "-.")+1]
	if i := strings.IndexAny(tail, "-."); i >= 0 {
		tail = tail[i:]
	} else {
		tail = ""
	}
	out := make([]string, len(names))
	for i, n := range names {
		if len(head)+len(tail) >= len(n) {
			return names
		}
		out[i] = n[len(head) : len(n)-len(tail)]
	}
	return out
}

// fitColumns sets the lower table's columns for w cells.
func (v *zonesPage) fitColumns(w int) {
	if v.names == nil {
		return
	}
	f := fullTexts
	for f < signsOnly && v.needs[f] > w {
		f++
	}
	if f == v.form {
		return
	}
	v.form = f
	cols := v.policyColumns()
	for i, title := range v.zoneTitles(f) {
		cols = append(cols, widget.TableColumn[*policyLine]{Title: title, Help: "its state in the zone " + v.names[i],
			Cell: func(l *policyLine) widget.Line {
				switch {
				case i >= len(l.cells):
					return nil
				case f == signsOnly:
					return l.signs[i]
				}
				return l.cells[i]
			}})
	}
	cols = append(cols, v.reportedColumn())
	cols = append(cols, widget.TableColumn[*policyLine]{Min: 8, Flex: true, NoSort: true, Drop: 1,
		Cell: func(l *policyLine) widget.Line { return l.reasonLine },
		Fit:  func(l *policyLine, w int) widget.Line { return l.reasonLine.CutWords(w) }})
	v.policies.Columns = cols
	v.policies.SetItems(v.policies.AllItems())
}

// policyColumns returns the columns that name a policy.
func (v *zonesPage) policyColumns() []widget.TableColumn[*policyLine] {
	return []widget.TableColumn[*policyLine]{
		{Title: "PRIO", Help: page.ColumnHelp("priority"), Right: true,
			Cell: func(l *policyLine) widget.Line { return widget.PlainLine(l.prio) }},
		{Title: "POLICY", Help: page.ColumnHelp("policy"), Name: true, Min: 12,
			Cell: func(l *policyLine) widget.Line { return widget.StyledLine(l.key.ShortLabel(), v.st.Accent) }},
	}
}

// reportedColumn returns the column of the controllers' reports, which prove nothing.
func (v *zonesPage) reportedColumn() widget.TableColumn[*policyLine] {
	return widget.TableColumn[*policyLine]{Title: "REPORTED", Help: "how many zones' controllers report it ready, with the sign of the " +
		"worst; not verified", Drop: 2, NoSort: true,
		Cell: func(l *policyLine) widget.Line {
			if l.reports == nil {
				return nil
			}
			return widget.CellLine(l.reports.OverallCell(), v.st)
		}}
}

// legendLines explains numbers and signs, in lines of w cells.
func (v *zonesPage) legendLines(w int) []string {
	if v.names == nil || v.form != signsOnly {
		return nil
	}
	var parts []string
	for i, name := range distinctParts(v.names) {
		parts = append(parts, strconv.Itoa(i+1)+"\u00a0"+name)
	}
	seen := map[model.PolicyState]bool{}
	for _, l := range v.policies.AllItems() {
		for _, s := range l.states {
			seen[s] = true
		}
	}
	for _, s := range []model.PolicyState{model.StateInSync, model.StateSettling, model.StateBehind, model.StateFrozen, model.StateNotEnforced,
		model.StateStale, model.StateUnknown, model.StateNotComparable} {
		if seen[s] {
			parts = append(parts, page.StateSign(s)+"\u00a0"+strings.ReplaceAll(string(s), " ", "\u00a0"))
		}
	}
	var out []string
	for _, l := range widget.FlowText(strings.Join(parts, "  "), max(1, w-2)) {
		out = append(out, widget.StyledLine("  "+strings.ReplaceAll(l, "\u00a0", " "), v.st.Dim).Render(w))
	}
	return out
}

// setColumns sets the lower table's columns, one per zone unless they are many.
func (v *zonesPage) setColumns(zs []*model.ZoneState) {
	if len(zs) > manyZones {
		if v.names != nil || len(v.policies.Columns) == 0 {
			v.names, v.policies.Columns = nil, v.summaryColumns()
		}
		return
	}
	if v.names != nil && slices.EqualFunc(zs, v.names, func(z *model.ZoneState, name string) bool { return z.Name == name }) {
		return
	}
	v.form = noForm
	v.names = model.MapList(zs, func(z *model.ZoneState) string { return z.Name })
	v.needs = [signsOnly]int{}
	v.fitColumns(0)
}

func (v *zonesPage) policyLineIn(r *revision.Revision, k model.PolicyKey) *policyLine {
	l := &policyLine{key: k, reports: v.reports[k]}
	if p := r.Cluster.Policy(k); p != nil && k.Kind == model.KindANP {
		l.prio = strconv.Itoa(int(p.Priority))
	}
	for _, z := range r.Zones {
		if !r.InZone(k, z.Name) {
			none := widget.StyledLine("–", v.st.Dim)
			l.cells, l.signs = append(l.cells, none), append(l.signs, none)
			continue
		}
		p := z.PolicyJoin(k)
		s := p.StateAt(z, v.now)
		text, short := string(s), page.StateSign(s)
		if p != nil && (s == model.StateBehind || s == model.StateSettling) {
			n := words.Thousands(p.Missing + p.Extra + p.Different)
			text, short = text+" "+n, short+n
		}
		look := view.StateStyle(s, v.st)
		l.cells, l.signs, l.states = append(l.cells, widget.StyledLine(text, look)), append(l.signs, widget.StyledLine(short, look)),
			append(l.states, s)
		if p != nil && p.Error != "" && l.reasonLine == nil {
			l.reasonLine = widget.StyledLine(fmt.Sprintf(words.Failed+" %s: %s (%s×)", z.Name, p.Error, words.Thousands(p.Tries)), v.st.Error)
		}
	}
	if none := r.WhyNoRows(k); none != nil && l.reasonLine == nil {
		l.reasonLine = widget.StyledLine(none.Message, v.st.Warn)
	}
	if l.reasonLine == nil && l.reports != nil && len(l.reports.Failures) > 0 {
		l.reasonLine = widget.StyledLine("reported by "+l.reports.Failures[0].String(), v.st.Error)
	}
	return l
}
