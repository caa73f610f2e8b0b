package preview

import (
	"cmp"
	"fmt"
	"strings"

	"rung/change"
	"rung/change/effect"
	"rung/model"
	"rung/model/words"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/view"
	"rung/ui/widget"
)

// maxRows bounds the rows that are listed one by one; all of them are counted.
const maxRows = 2000

// rowLines are the rows that change: counts for each table, then each row with
// its fields.
func (v *View) rowLines(b *page) {
	if len(v.p.Objects) == 0 {
		return
	}
	b.heading("rows (every zone has its own)")
	if len(v.p.Rows) == 0 {
		b.text("no row changes", b.st.Dim)
		return
	}
	for _, n := range effect.CountRows(v.p.Rows) {
		name := fmt.Sprintf(" %-14s", words.Plural(detail.TableWord(n.Table)))
		if l := effect.RowSummary(v.p.Rows, n); l != "" {
			b.add(widget.Line{{Text: name}, {Text: l, Style: b.st.Title}})
		} else {
			b.add(widget.Line{{Text: name}, {Text: "none", Style: b.st.Dim}})
		}
	}
	b.lines = append(b.lines, widget.DocLine{Line: widget.Line{}, Skip: true})
	policies := len(v.p.Objects) > 1
	for i := range v.p.Rows {
		if i == maxRows {
			b.text(fmt.Sprintf("and %d more", len(v.p.Rows)-maxRows), b.st.Dim)
			break
		}
		b.row(&v.p.Rows[i], policies)
	}
}

// row is one row with what changes in it.
func (b *page) row(r *change.RowChange, policy bool) {
	mark, st := "±", b.st.Info
	switch r.Kind {
	case model.DiffMissing:
		mark, st = "+", b.st.Added
	case model.DiffExtra:
		mark, st = "-", b.st.Removed
	}
	l := widget.Line{{Text: " " + mark + " ", Style: st}, {Text: rowName(r, policy), Style: b.st.Accent}}
	fields := shownFields(r)
	if len(fields) == 1 && r.Kind == model.DiffDifferent {
		if one := b.field(fields[0], r.Kind); l.Width()+one.Width()+2 <= b.w {
			b.add(widget.Join(l, widget.Plain("  "), one))
			return
		}
	}
	b.add(l)
	for _, f := range fields {
		b.add(widget.Join(widget.Plain("     "), b.field(f, r.Kind)))
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
func shownFields(r *change.RowChange) []model.FieldDiff {
	if r.Kind == model.DiffDifferent {
		return r.Fields
	}
	var out []model.FieldDiff
	for _, f := range r.Fields {
		switch f.Column {
		case "external_ids", "name", "options", "tier", "direction", "meter":
			continue
		case "log":
			if f.Desired != "true" && f.Live != "true" {
				continue
			}
		}
		out = append(out, f)
	}
	return out
}

// field is one column before and after.
func (b *page) field(f model.FieldDiff, kind model.DiffKind) widget.Line {
	l := widget.Line{{Text: f.Column + " ", Style: b.st.CodeKey}}
	if f.Missing != nil || f.Extra != nil {
		var parts []string
		if n := len(f.Missing); n > 0 {
			parts = append(parts, "+"+members(f.Missing))
		}
		if n := len(f.Extra); n > 0 {
			parts = append(parts, "−"+members(f.Extra))
		}
		return l.Add(strings.Join(parts, "  "), b.st.Text)
	}
	switch kind {
	case model.DiffMissing:
		return l.Add(f.Desired, b.st.Added)
	case model.DiffExtra:
		return l.Add(f.Live, b.st.Removed)
	}
	return l.Add(cmp.Or(f.Live, "none"), b.st.Removed).Add(" → ", b.st.Dim).Add(cmp.Or(f.Desired, "none"), b.st.Added)
}

// members lists a few members of a set and counts all.
func members(m []string) string {
	const some = 3
	s := fmt.Sprintf("%d ", len(m))
	if len(m) > some {
		return s + "(" + strings.Join(m[:some], ", ") + ", …)"
	}
	return s + "(" + strings.Join(m, ", ") + ")"
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
