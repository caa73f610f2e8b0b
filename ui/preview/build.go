package preview

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"rung/change"
	"rung/change/planrun"
	"rung/pages/consequences"
	"rung/pages/page"
	"rung/themes"
	"rung/ui/view"
	"rung/ui/widget"
)

// shortChange is how many lines of what changes stand before what follows from it.
const shortChange = 3

// wide is from which width on rows stand beside the change.
const wide = 110

// pane builds the lines of one document.
type pane struct {
	st    *themes.Styles
	w     int // of the text
	lines []widget.DocLine
}

func (b *pane) add(l widget.Line) { b.lines = append(b.lines, widget.DocLine{Line: l}) }

func (b *pane) text(text string, st themes.Style) {
	for _, l := range widget.Flow(text, max(8, b.w-1)) {
		b.add(widget.Line{{Text: " "}, {Text: l, Style: st}})
	}
}

// point is a paragraph with a sign before it.
func (b *pane) point(sign page.Span, text string, body page.Role) {
	mark := widget.SpanOf(page.Span{Text: " " + sign.Text + " ", Role: sign.Role}, b.st)
	for _, l := range widget.Flow(text, max(8, b.w-3)) {
		b.add(widget.Line{mark, {Text: l, Style: b.st.Of(body)}})
		mark.Text = "   "
	}
}

func (b *pane) points(all []consequences.Point) {
	for _, p := range all {
		b.point(p.Sign, p.Text, themes.Text)
	}
}

func (b *pane) heading(title string) {
	if len(b.lines) > 0 {
		b.lines = append(b.lines, widget.DocLine{Line: widget.Line{}, Skip: true})
	}
	b.lines = append(b.lines, widget.DocLine{Line: widget.Heading(title, b.w, b.st), Head: true, Skip: true})
}

// build makes the documents anew when what they are made of changed.
func (v *View) build(env *view.Env) {
	v.side = env.W >= wide && v.p != nil && len(v.p.Rows) > 0
	key := builtKey{v.p, env.W, v.side, v.diff, v.phase, env.Styles, v.wrong, v.notice, ""}
	if v.phase >= waiting {
		key.shown = fmt.Sprint(v.shown)
	}
	if key == v.built {
		return
	}
	v.built = key
	v.onRows = v.onRows && v.side
	lw, rw := v.widths(env.W)
	left := &pane{st: env.Styles, w: lw - 3}
	if v.p == nil || v.phase == failed {
		v.head(left, nil)
		v.change.SetLines(left.lines)
		return
	}
	t := consequences.Tell(v.p)
	v.head(left, t)
	// What follows matters most: a long list of what changes comes after it.
	change := &pane{st: env.Styles, w: lw - 3}
	change.changes(t.Objects, v.diff)
	short := len(change.lines) <= shortChange && !v.diff
	if short {
		left.lines = append(left.lines, change.lines...)
	}
	left.consequences(t)
	if !v.diff {
		left.groups(t)
	}
	if !short {
		title := "change"
		if v.diff {
			title = "change, as text"
		}
		left.heading(title)
		left.lines = append(left.lines, change.lines...)
	}
	if v.diff { // what was asked for comes first
		left.groups(t)
	}
	right := left
	if v.side {
		right = &pane{st: env.Styles, w: rw - 3}
	}
	right.rows(v.p, t.Counts)
	left.commands(v.p.Commands)
	if !v.diff {
		left.texts(v.p.Objects)
	}
	if v.side {
		v.rows.SetLines(right.lines)
	}
	v.change.SetLines(left.lines)
}

func (v *View) widths(w int) (left, right int) {
	if !v.side {
		return w, 0
	}
	left = w * 11 / 20
	return left, w - left - 1
}

// head says what the change is and what is wrong.
func (v *View) head(b *pane, t *consequences.Told) {
	if v.phase == failed {
		text := "The change could not be worked out: " + v.err.Error()
		if errors.Is(v.err, planrun.ErrPlan) {
			text = v.err.Error() // it says that it was refused, and why
		}
		b.point(consequences.Wrong, text, themes.Text)
		b.text("Nothing was changed.", b.st.Text)
		return
	}
	if v.p == nil {
		return
	}
	b.text(v.p.Title, b.st.Title)
	b.points(t.Surplus)
	if v.phase >= waiting {
		v.zones(b)
	}
	if v.wrong != "" {
		b.point(consequences.Wrong, "Not written: "+v.wrong+". Nothing was changed.", themes.Error)
	}
	if v.notice != "" {
		b.point(consequences.Warns, v.notice, themes.Text)
	}
	b.points(t.Errors)
	if v.opt.Kept != "" && v.p.Blocked != "" {
		b.text("Your text is kept in "+v.opt.Kept, b.st.Dim)
	}
	if c := v.p.Conflict; c != nil {
		v.conflict(b, c)
	}
}

// zones tells what each zone shows.
func (v *View) zones(b *pane) {
	_, ok := count(v.shown)
	b.text(fmt.Sprintf("Written. %d of %d zones show it:", ok, len(v.shown)), b.st.Text)
	for _, s := range v.shown {
		mark, st, text := "●", b.st.OK, "shows it"
		if !s.OK {
			mark, st, text = "○", b.st.Warn, "not yet"
		}
		if s.Why != "" {
			text += ": " + s.Why
		}
		b.add(widget.Line{{Text: " " + mark + " ", Style: st}, {Text: s.Zone, Style: b.st.Accent}, {Text: "  " + text}})
	}
}

// changes are the objects field by field, or as a difference of the texts.
func (b *pane) changes(objects []consequences.Object, diff bool) {
	names := 0
	for _, o := range objects {
		names = max(names, widget.Width(o.Name))
	}
	for i := range objects {
		o := &objects[i]
		if len(objects) > 1 && !diff && b.short(o, names) {
			continue
		}
		if len(objects) > 1 {
			b.add(widget.Line{{Text: " " + o.Name, Style: b.st.Accent}, {Text: " " + o.Verb}})
		}
		switch {
		case diff:
			b.diff(o.Diff)
		case o.Sign.Text != "":
			b.points([]consequences.Point{o.Point})
		case o.Text != "":
			b.text(o.Text, b.st.Dim)
		default:
			b.fields(o.Fields)
		}
	}
}

// short puts an object of which one field changes into one line, where it has
// room; pad is how wide the names of all objects are.
func (b *pane) short(o *consequences.Object, pad int) bool {
	if len(o.Fields) != 1 {
		return false
	}
	l := widget.Line{{Text: " " + o.Name + strings.Repeat(" ", pad-widget.Width(o.Name)+2), Style: b.st.Accent}, {Text: o.Fields[0].Path + "  ", Style: b.st.CodeKey}}
	l = widget.Join(l, b.styled(o.Fields[0].Change))
	if l.Width() > b.w {
		return false
	}
	b.add(l)
	return true
}

// styled is a line with the looks of its pieces.
func (b *pane) styled(l page.Line) widget.Line { return widget.LineOf(page.Cell{More: l}, b.st) }

// fields lists changed fields, old → new.
func (b *pane) fields(fields []consequences.Field) {
	pad := 0
	for _, f := range fields {
		if n := widget.Width(f.Path); n <= b.w/2 {
			pad = max(pad, n)
		}
	}
	for _, f := range fields {
		l, change := widget.Line{{Text: " " + f.Path, Style: b.st.CodeKey}}, b.styled(f.Change)
		if n := widget.Width(f.Path); n > pad || change.Width() > b.w-pad-4 {
			b.add(l)
			b.point(page.Span{Text: "  -", Role: themes.Removed}, f.Change[0].Text, themes.Removed)
			b.point(page.Span{Text: "  +", Role: themes.Added}, f.Change[2].Text, themes.Added)
			continue
		}
		l = l.Add(strings.Repeat(" ", pad-widget.Width(f.Path)+2), b.st.Text)
		b.add(widget.Join(l, change))
	}
}

// texts are the whole texts of new objects; what follows from them stands
// before.
func (b *pane) texts(objects []change.ObjectChange) {
	for _, o := range objects {
		if o.Old != nil || o.New == nil {
			continue
		}
		b.heading("text of " + o.Key.Label())
		for _, l := range widget.YAML(o.New.YAML, b.st) {
			b.add(widget.Join(widget.Plain(" "), l))
		}
	}
}

// manyGuards is from how many guard rails on each is told without its example at first, so
// that a small screen has all of them.
const manyGuards = 4

// rails are the guard rails, in brief where there are many.
func rails(t *consequences.Told) []consequences.Point {
	if len(t.Guards) < manyGuards {
		return t.Guards
	}
	return consequences.Brief(t.Guards)
}

// consequences are what to read before saying yes: guard rails, findings, notes,
// and last what is only good to know.
func (b *pane) consequences(t *consequences.Told) {
	all := slices.Concat(rails(t), t.Effect, t.Log, t.Findings, t.Omitted, t.Notes, t.Hints)
	if len(all) == 0 {
		return
	}
	b.heading("consequences")
	b.points(all)
	if len(t.Guards) >= manyGuards {
		b.heading("guard rails with examples")
		b.points(t.Guards)
	}
}

// groups lists the connections of which something becomes, and those of the log.
func (b *pane) groups(t *consequences.Told) {
	for _, groups := range []consequences.Groups{t.Seen, t.Flips, t.Others} {
		if len(groups.Rows) == 0 {
			continue
		}
		b.heading(groups.Title)
		for _, g := range groups.Rows {
			b.point(g.Sign, g.Short+": "+g.Text(), themes.Text)
			b.point(page.Span{Text: " ", Role: themes.Dim}, g.Under(), themes.Dim)
		}
		if groups.More != "" {
			b.text(groups.More, b.st.Dim)
		}
	}
}

// commands are the equivalent command lines.
func (b *pane) commands(all []string) {
	if len(all) == 0 {
		return
	}
	b.heading("the same with kubectl")
	for _, c := range all {
		b.text(c, b.st.CodeText)
	}
}

func dashes(w int) string { return strings.Repeat("─", max(0, w)) }
