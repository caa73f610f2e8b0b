package rows

import (
	"cmp"
	"fmt"
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/themes"
)

// DriftLine is a policy that is not in sync in a zone, or a differing row below it.
type DriftLine struct {
	*Facts
	Row *RowFacts // nil for the policy
	id  string
}

// ListDriftLines returns the lines of facts, in their order.
func ListDriftLines(all []Facts) (out []*DriftLine) {
	for i := range all {
		f := &all[i]
		out = append(out, &DriftLine{Facts: f, id: f.Zone + " " + f.Policy})
		for j := range f.Rows {
			out = append(out, &DriftLine{Facts: f, Row: &f.Rows[j], id: fmt.Sprintf("%s %s %d", f.Zone, f.Policy, j)})
		}
	}
	return out
}

// Table lists lines.
var Table = &page.Table[*DriftLine]{
	Help: map[string]string{
		"state": "the state of its rows",
		"row":   "a row that is missing, extra or different, and its table",
		"why":   "the difference, and its known cause",
	},
	ID:    func(l *DriftLine) string { return l.id },
	Under: func(l *DriftLine) bool { return l.Row != nil },
	Empty: "no drift",
	Columns: []page.Column[*DriftLine]{
		{Key: "zone", Title: "ZONE", Importance: page.Always, Cell: func(l *DriftLine) page.Cell { return page.Cell{Text: l.Zone} }},
		{Key: "policy", Title: "POLICY", Importance: page.Always,
			Cell: page.RoleCell(themes.Accent, func(l *DriftLine) string { return l.Policy })},
		{Key: "state", Title: "STATE", Importance: page.Always, Cell: (*DriftLine).stateCell},
		{Key: "row", Title: "ROW", Importance: page.Always, Cell: func(l *DriftLine) page.Cell {
			if l.Row == nil {
				return page.Cell{Text: words.Count(len(l.Rows), "row")}
			}
			return page.Cell{Text: string(l.Row.Table) + " " + cmp.Or(l.Row.ID, l.Row.UUID)}
		}},
		{Key: "why", Title: "WHY", Importance: page.Always, Flex: true,
			Cell: func(l *DriftLine) page.Cell { return page.Cell{Text: l.whyText()} }},
	},
}

func (l *DriftLine) stateCell() page.Cell {
	if l.Row != nil {
		return page.Cell{Text: string(l.Row.Kind)}
	}
	return page.Cell{Text: l.StateText(), Role: page.StateRole(l.State)}
}

// mostMembers limits the missing or extra members listed for a row; JSON has all.
const mostMembers = 50

// whyText says how a row differs, or why a policy does.
func (l *DriftLine) whyText() string {
	if l.Row == nil {
		return l.Reason
	}
	var parts []string
	if why := l.Row.WhyText(); why != "" {
		parts = append(parts, why)
	}
	for _, f := range l.Row.Fields {
		parts = append(parts, FieldText(f, func(members []string) string {
			return words.Thousands(len(members)) + " " + words.JoinAtMost(members, ", ", mostMembers)
		}))
	}
	if k := l.Row.Known; k != nil {
		parts = append(parts, k.KnownText())
	}
	return strings.Join(parts, "; ")
}

// StateText returns the state, with the priority of old rows that still decide.
func (f *Facts) StateText() string {
	if f.LivePriority == nil {
		return string(f.State)
	}
	return fmt.Sprintf("%s, still enforced at %d", f.State, *f.LivePriority)
}

// WhyText says why a row differs as a whole; empty if its columns differ.
func (r *RowFacts) WhyText() string {
	if len(r.Fields) > 0 {
		return ""
	}
	return cmp.Or(r.Note, r.Waiting)
}

// KnownText names the defect and the remedy.
func (k *KnownFacts) KnownText() string { return "known: " + k.Text + " → " + k.Remedy }

// FieldText says how a column of a row differs; list formats missing or extra members.
func FieldText(f model.FieldDiff, list func([]string) string) string {
	text := fmt.Sprintf("%s: want %s, is %s", f.Column, f.Desired, f.Live)
	if len(f.Missing) > 0 {
		text += "; missing " + list(f.Missing)
	}
	if len(f.Extra) > 0 {
		text += "; extra " + list(f.Extra)
	}
	return text
}
