package preview

import (
	"slices"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"

	"rung/change"
	"rung/change/rewrite"
	"rung/model/clean"
	"rung/pages/consequences"
	"rung/pages/page"
	"rung/themes"
	"rung/ui/widget"
)

// pane builds the lines of one document.
type pane struct {
	st    *themes.StyleSet
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
		b.add(widget.Line{mark, {Text: l, Style: b.st.StyleOf(body)}})
		mark.Text = "   "
	}
}

func (b *pane) points(all []consequences.PreviewPoint) {
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

// changes are the objects field by field, or as a difference of the texts.
func (b *pane) changes(objects []consequences.ChangedObject, diff bool) {
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
			b.points([]consequences.PreviewPoint{o.PreviewPoint})
		case o.Text != "":
			b.text(o.Text, b.st.Dim)
		default:
			b.fields(o.Fields)
		}
	}
}

// short puts an object of which one field changes into one line, where it has
// room; pad is how wide the names of all objects are.
func (b *pane) short(o *consequences.ChangedObject, pad int) bool {
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
func (b *pane) fields(fields []consequences.ChangedField) {
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
func rails(t *consequences.PreviewParts) []consequences.PreviewPoint {
	if len(t.Guards) < manyGuards {
		return t.Guards
	}
	return consequences.BriefRails(t.Guards)
}

// consequences adds everything to read before saying yes: guard rails, findings, notes,
// and last the mere information.
func (b *pane) consequences(t *consequences.PreviewParts) {
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
func (b *pane) groups(t *consequences.PreviewParts) {
	for _, groups := range []consequences.GroupTable{t.Seen, t.Flips, t.Others} {
		if len(groups.Rows) == 0 {
			continue
		}
		b.heading(groups.Title)
		for _, g := range groups.Rows {
			b.point(g.Sign, g.Short+": "+g.ConnectionsText(), themes.Text)
			b.point(page.Span{Text: " ", Role: themes.Dim}, g.DeciderText(), themes.Dim)
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

// conflict shows the three texts as two differences.
func (b *pane) conflict(c *rewrite.Conflict) {
	switch {
	case c.Merged != "":
		b.point(consequences.Warns, "Somebody changed the policy meanwhile. The two edits touch different lines: they can be merged.", themes.Text)
	case c.Now != "" && c.Wanted != "":
		b.point(consequences.Warns, "Somebody changed the policy meanwhile. Both edits touch the same lines; merge by hand.", themes.Text)
	}
	b.heading("changed meanwhile: " + c.Key.Label())
	if c.Now == "" {
		b.text("The policy was removed.", b.st.Text)
	} else {
		b.diff(c.Diff)
	}
	b.heading("your change")
	if c.Wanted == "" {
		b.text("The policy was to be removed.", b.st.Text)
		return
	}
	b.diff(udiff.Unified("as it was", "wanted", ended(c.Base), ended(c.Wanted)))
}

func ended(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		return s + "\n"
	}
	return s
}

// diff shows a unified difference.
func (b *pane) diff(text string) {
	shown := clean.Escape(text)
	if shown != text {
		b.point(consequences.Warns, widget.Escaped, themes.Text)
	}
	for l := range strings.Lines(shown) {
		l = widget.Clean(strings.TrimSuffix(l, "\n"))
		st := b.st.Text
		switch {
		case strings.HasPrefix(l, "+"):
			st = b.st.Added
		case strings.HasPrefix(l, "-"):
			st = b.st.Removed
		case strings.HasPrefix(l, "@@"):
			st = b.st.Dim
		}
		b.add(widget.Line{{Text: " "}, {Text: l, Style: st}})
	}
}
