package preview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rung/change"
	"rung/change/effect"
	"rung/change/gate"
	"rung/model"
	"rung/model/words"
	"rung/pages/difference"
	"rung/ui/detail"
	"rung/ui/widget"
)

// maxRows bounds the rows listed one by one; all are counted.
const maxRows = 2000

// addRows adds the changed rows: counts for each table, then each row with its fields.
func (b *docBuilder) addRows(p *gate.Preview) {
	if len(p.Objects) == 0 {
		return
	}
	b.addHeading("rows, per zone")
	if len(p.Rows) == 0 {
		b.addText("no row changes", b.st.Dim)
		return
	}
	for _, n := range effect.CountRows(p.Rows) {
		name := fmt.Sprintf(" %-14s", words.Plural(detail.TableWord(n.Table)))
		look := words.Choose(n.Text == "", b.st.Dim, b.st.Title)
		b.addLine(widget.Line{{Text: name}, {Text: cmp.Or(n.Text, "none"), Style: look}})
	}
	b.lines = append(b.lines, widget.DocLine{Line: widget.Line{}, Skip: true})
	policies := len(p.Objects) > 1
	for i := range p.Rows {
		if i == maxRows {
			b.addText(fmt.Sprintf("and %s more", words.Thousands(len(p.Rows)-maxRows)), b.st.Dim)
			break
		}
		b.addRow(&p.Rows[i], policies)
	}
}

// addRow adds one row with its changes.
func (b *docBuilder) addRow(r *change.RowChange, policy bool) {
	mark, st := words.Changed, b.st.Info
	switch r.Kind {
	case model.DiffMissing:
		mark, st = "+", b.st.Added
	case model.DiffExtra:
		mark, st = "−", b.st.Removed
	}
	l := widget.Line{{Text: " " + mark + " ", Style: st}, {Text: rowName(r, policy), Style: b.st.Accent}}
	fields := b.shownFields(r)
	field := func(f difference.ChangedField) widget.Line {
		return widget.JoinLines(widget.Line{{Text: f.Path + " ", Style: b.st.CodeKey}}, b.styledLine(f.Change))
	}
	if len(fields) == 1 && r.Kind == model.DiffDifferent {
		if one := field(fields[0]); l.LineWidth()+one.LineWidth()+2 <= b.w {
			b.addLine(widget.JoinLines(l, widget.PlainLine("  "), one))
			return
		}
	}
	b.addLine(l)
	for _, f := range fields {
		b.addLong(widget.JoinLines(widget.PlainLine("     "), field(f)), 7)
	}
}

// rowName names a row by table and the part of its id after the policy; shared rows are named by their unit.
func rowName(r *change.RowChange, policy bool) string {
	s := detail.TableWord(r.Table)
	if !r.Policy.Kind.IsPolicy() {
		return s + " " + unitRow(r)
	}
	if name := detail.ShortID(r.ID+":", r.Policy); name != "" {
		s += " " + strings.TrimSuffix(name, ":")
	}
	if policy {
		name := r.Policy.Name
		if r.Policy.Namespace != "" {
			name = r.Policy.Label()
		}
		s += " of " + name
	}
	return s
}

// unitRow names a row of a unit other than a policy.
func unitRow(r *change.RowChange) string {
	s := strings.TrimPrefix(r.Policy.Label(), "sets ") // "address set" precedes it already
	s += words.Between(": ", strings.TrimSuffix(detail.ShortID(r.ID+":", r.Policy), ":"), "")
	return s
}

// shownFields omits uninformative fields of added and removed rows.
func (b *docBuilder) shownFields(r *change.RowChange) []difference.ChangedField {
	all := difference.ChangedFields(r, b.whole && b.maxMemberBytes > 0)
	for _, f := range all {
		b.maxMemberBytes -= len(f.Change.String())
	}
	if r.Kind == model.DiffDifferent {
		return all
	}
	return slices.DeleteFunc(all, func(f difference.ChangedField) bool {
		return slices.Contains([]string{"external_ids", "name", "options", "tier", "direction", "meter"}, f.Path) || f.Path == "log" &&
			f.Change.String() != "true"
	})
}
