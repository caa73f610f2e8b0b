package preview

import (
	"fmt"
	"slices"
	"strings"

	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/model/words"
	"rung/pages/consequences"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/view"
	"rung/ui/widget"
)

// maxRows bounds the rows that are listed one by one; all of them are counted.
const maxRows = 2000

// rows are the rows that change: counts for each table, then each row with
// its fields.
func (b *pane) rows(p *gate.Preview, counts []consequences.RowCount) {
	if len(p.Objects) == 0 {
		return
	}
	b.heading("rows (every zone has its own)")
	if len(p.Rows) == 0 {
		b.text("no row changes", b.st.Dim)
		return
	}
	for _, n := range counts {
		name := fmt.Sprintf(" %-14s", words.Plural(detail.TableWord(n.Table)))
		if n.Text != "" {
			b.add(widget.Line{{Text: name}, {Text: n.Text, Style: b.st.Title}})
		} else {
			b.add(widget.Line{{Text: name}, {Text: "none", Style: b.st.Dim}})
		}
	}
	b.lines = append(b.lines, widget.DocLine{Line: widget.Line{}, Skip: true})
	policies := len(p.Objects) > 1
	for i := range p.Rows {
		if i == maxRows {
			b.text(fmt.Sprintf("and %d more", len(p.Rows)-maxRows), b.st.Dim)
			break
		}
		b.row(&p.Rows[i], policies)
	}
}

// row is one row with what changes in it.
func (b *pane) row(r *change.RowChange, policy bool) {
	mark, st := "±", b.st.Info
	switch r.Kind {
	case model.DiffMissing:
		mark, st = "+", b.st.Added
	case model.DiffExtra:
		mark, st = "-", b.st.Removed
	}
	l := widget.Line{{Text: " " + mark + " ", Style: st}, {Text: rowName(r, policy), Style: b.st.Accent}}
	fields := shownFields(r)
	field := func(f consequences.Field) widget.Line {
		return widget.Join(widget.Line{{Text: f.Path + " ", Style: b.st.CodeKey}}, b.styled(f.Change))
	}
	if len(fields) == 1 && r.Kind == model.DiffDifferent {
		if one := field(fields[0]); l.Width()+one.Width()+2 <= b.w {
			b.add(widget.Join(l, widget.Plain("  "), one))
			return
		}
	}
	b.add(l)
	for _, f := range fields {
		b.add(widget.Join(widget.Plain("     "), field(f)))
	}
}

// rowName names a row by table and the part of its id behind the policy; of rows
// that several policies share, whose they are.
func rowName(r *change.RowChange, policy bool) string {
	table := detail.TableWord(r.Table)
	if !r.Policy.Kind.IsPolicy() {
		return table + " " + unitRow(r)
	}
	s := table
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

// unitRow names a row that is no policy's alone.
func unitRow(r *change.RowChange) string {
	s := strings.TrimPrefix(r.Policy.Label(), "sets ") // it is called one already
	if rest := strings.TrimSuffix(detail.ShortID(r.ID+":", r.Policy), ":"); rest != "" {
		s += ": " + rest
	}
	return s
}

// shownFields leaves out what says nothing in a row that comes or goes.
func shownFields(r *change.RowChange) []consequences.Field {
	all := consequences.FieldsOf(r, false)
	if r.Kind == model.DiffDifferent {
		return all
	}
	return slices.DeleteFunc(all, func(f consequences.Field) bool {
		return slices.Contains([]string{"external_ids", "name", "options", "tier", "direction", "meter"}, f.Path) || f.Path == "log" && f.Change.String() != "true"
	})
}

// Render draws the change, the rows beside or below it, and the question.
func (v *View) Render(env *view.Env, w, h int) string {
	v.build(env)
	q := v.question(env, w)
	room := h - len(q)
	if room < 1 { // the answer matters more than the details
		return widget.Pad(q[max(0, len(q)-max(0, h)):], h)
	}
	var body string
	if v.side {
		lw, rw := v.widths(w)
		body = widget.Beside(env.Styles, v.change.RenderFocus(env.Styles, lw, room, !v.onRows), v.rows.RenderFocus(env.Styles, rw, room, v.onRows), room)
	} else {
		body = v.change.Render(env.Styles, w, room)
	}
	if n := v.change.Below(); n > 0 {
		q[0] = v.more(env, n, w)
	}
	return body + "\n" + widget.Pad(q, len(q))
}

// more is the line above the question where there is more to read than the page shows.
func (v *View) more(env *view.Env, n, w int) string {
	l := widget.Line{{Text: " ↓ " + words.Count(n, "more line") + " ", Style: env.Styles.Info}}
	if key := env.Keys.Action(action.PreviewSection).Shown(); key != "" && v.change.Long() {
		l = l.Add("· ", env.Styles.Border).Add(key, env.Styles.Key).Add(" next section ", env.Styles.Text)
	}
	if left := w - l.Width() - 2; left > 0 {
		l = widget.Join(widget.Styled(dashes(left), env.Styles.Border), l, widget.Styled(dashes(2), env.Styles.Border))
	}
	return l.Render(w)
}

// Click puts the cursor on a line, in the pane that was hit.
func (v *View) Click(_ *view.Env, x, y int) bool {
	lw, _ := v.widths(v.built.w)
	v.onRows = v.side && x > lw
	if v.onRows {
		return v.rows.Click(y)
	}
	return v.change.Click(y)
}

// Wheel scrolls.
func (v *View) Wheel(_ *view.Env, lines int) {
	if v.onRows {
		v.rows.Wheel(lines)
		return
	}
	v.change.Wheel(lines)
}
