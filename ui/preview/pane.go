package preview

import (
	"slices"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"

	"rung/change"
	"rung/change/rewrite"
	"rung/model/words"
	"rung/pages/difference"
	"rung/pages/page"
	"rung/themes"
	"rung/ui/widget"
)

// docBuilder builds the lines of one document.
type docBuilder struct {
	st    *themes.StyleSet
	w     int // width of the text
	lines []widget.DocLine
	// whole wraps long lines and lists all members of sets, up to maxMemberBytes bytes of them in total.
	whole          bool
	maxMemberBytes int
}

// defaultMemberBytes bounds the bytes of members listed in full; later sets are shortened.
const defaultMemberBytes = 1 << 20

func (b *docBuilder) addLine(l widget.Line) { b.lines = append(b.lines, widget.DocLine{Line: l}) }

// addLong adds a line that may be wider than the page. If whole is set, it wraps, with all but the first part
// indented by indent.
func (b *docBuilder) addLong(l widget.Line, indent int) {
	if !b.whole {
		b.addLine(l)
		return
	}
	for i, part := range l.FlowLine(b.w, b.w-indent) {
		if i > 0 {
			part = widget.JoinLines(widget.PlainLine(strings.Repeat(" ", indent)), part)
		}
		b.addLine(part)
	}
}

func (b *docBuilder) addText(text string, st themes.Style) {
	for _, l := range widget.FlowText(text, max(8, b.w-1)) {
		b.addLine(widget.Line{{Text: " "}, {Text: l, Style: st}})
	}
}

// addPoint adds a paragraph after a sign.
func (b *docBuilder) addPoint(sign page.Span, text string, body page.Role) {
	mark := widget.StyledSpan(page.Span{Text: " " + sign.Text + " ", Role: sign.Role}, b.st)
	for _, l := range widget.FlowText(text, max(8, b.w-3)) {
		b.addLine(widget.Line{mark, {Text: l, Style: b.st.TokenStyle(body)}})
		mark.Text = "   "
	}
}

func (b *docBuilder) addPoints(all []difference.PreviewPoint) {
	for _, p := range all {
		b.addPoint(p.Sign, p.Text, themes.Text)
	}
}

func (b *docBuilder) addHeading(title string) {
	if len(b.lines) > 0 {
		b.lines = append(b.lines, widget.DocLine{Line: widget.Line{}, Skip: true})
	}
	b.lines = append(b.lines, widget.DocLine{Line: widget.HeadingLine(title, b.w, b.st), Head: true, Skip: true})
}

// addChanges adds the objects field by field, or as text diffs.
func (b *docBuilder) addChanges(objects []difference.ChangedObject, diff bool) {
	names := widget.WidestText(objects, func(o difference.ChangedObject) string { return o.Name })
	for i := range objects {
		o := &objects[i]
		if len(objects) > 1 && !diff && b.addShort(o, names) {
			continue
		}
		if len(objects) > 1 {
			b.addLine(widget.Line{{Text: " " + o.Name, Style: b.st.Accent}, {Text: " " + o.Verb}})
		}
		switch {
		case diff:
			b.addDiff(o.Diff)
		case o.Sign.Text != "":
			b.addPoints([]difference.PreviewPoint{o.PreviewPoint})
		case o.Text != "":
			b.addText(o.Text, b.st.Dim)
		default:
			b.addFields(o.Fields)
		}
	}
}

// addShort adds an object with a single changed field in one line, if it fits; pad is the width of the column
// of names.
func (b *docBuilder) addShort(o *difference.ChangedObject, pad int) bool {
	if len(o.Fields) != 1 {
		return false
	}
	l := widget.Line{{Text: " " + o.Name + strings.Repeat(" ", pad-widget.TextWidth(o.Name)+2), Style: b.st.Accent},
		{Text: o.Fields[0].Path + "  ", Style: b.st.CodeKey}}
	l = widget.JoinLines(l, b.styledLine(o.Fields[0].Change))
	if l.LineWidth() > b.w {
		return false
	}
	b.addLine(l)
	return true
}

// styledLine returns a line with the styles of its pieces.
func (b *docBuilder) styledLine(l page.Line) widget.Line {
	return widget.CellLine(page.Cell{More: l}, b.st)
}

// addFields lists changed fields, old → new.
func (b *docBuilder) addFields(fields []difference.ChangedField) {
	pad := 0
	for _, f := range fields {
		if n := widget.TextWidth(f.Path); n <= b.w/2 {
			pad = max(pad, n)
		}
	}
	for _, f := range fields {
		l, change := widget.Line{{Text: " " + f.Path, Style: b.st.CodeKey}}, b.styledLine(f.Change)
		if n := widget.TextWidth(f.Path); n > pad || change.LineWidth() > b.w-pad-4 {
			b.addLine(l)
			b.addPoint(page.Span{Text: "  -", Role: themes.Removed}, f.Change[0].Text, themes.Removed)
			b.addPoint(page.Span{Text: "  +", Role: themes.Added}, f.Change[2].Text, themes.Added)
			continue
		}
		l = l.Add(strings.Repeat(" ", pad-widget.TextWidth(f.Path)+2), b.st.Text)
		b.addLine(widget.JoinLines(l, change))
	}
}

// addTexts adds the full texts of new objects, after the consequences.
func (b *docBuilder) addTexts(objects []change.ObjectChange) {
	for _, o := range objects {
		if o.Old != nil || o.New == nil {
			continue
		}
		b.addHeading("text of " + o.Key.Label())
		for _, l := range widget.YAMLLines(o.New.YAML, b.st) {
			b.addLong(widget.JoinLines(widget.PlainLine(" "), l), 5)
		}
	}
}

// manyGuards is the number of guard rails from which each is first shown without its example, so that all fit
// a small screen.
const manyGuards = 4

// guardPoints returns the guard rails, shortened if they are many.
func guardPoints(t *difference.PreviewParts) []difference.PreviewPoint {
	if len(t.Guards) < manyGuards {
		return t.Guards
	}
	return difference.BriefRails(t.Guards)
}

// addConsequences adds the guard rails, harm, notes, and the number of caveats, which the key allKey lists.
func (b *docBuilder) addConsequences(t *difference.PreviewParts, allKey string) {
	all := slices.Concat(guardPoints(t), t.Harm, t.Unjudged, t.Notes)
	if n := len(t.Omitted); n > 0 {
		sign := words.Choose(slices.ContainsFunc(t.Omitted, func(p difference.PreviewPoint) bool { return p.Sign == difference.Warns }),
			difference.Warns, difference.Notes)
		all = append(all, difference.PreviewPoint{Sign: sign, Text: words.Count(n, "caveat") + words.Between(": ", allKey, " lists all")})
	}
	if len(all) == 0 {
		return
	}
	b.addHeading("consequences")
	b.addPoints(all)
	if len(t.Guards) >= manyGuards {
		b.addHeading("guard rails with examples")
		b.addPoints(t.Guards)
	}
}

// addGroups lists the affected connections, logged ones first.
func (b *docBuilder) addGroups(t *difference.PreviewParts) {
	for _, groups := range []difference.GroupTable{t.LoggedFlips, t.Flips, t.Others} {
		if len(groups.Rows) == 0 {
			continue
		}
		b.addHeading(groups.Title)
		for _, g := range groups.Rows {
			b.addPoint(g.Sign, g.Short+": "+g.ConnectionsText(), themes.Text)
			b.addPoint(page.Span{Text: " ", Role: themes.Dim}, g.DeciderText(), themes.Dim)
		}
		if groups.More != "" {
			b.addText(groups.More, b.st.Dim)
		}
	}
}

// addCommands adds the equivalent command lines.
func (b *docBuilder) addCommands(all []string) {
	if len(all) == 0 {
		return
	}
	b.addHeading("the same with kubectl")
	for _, c := range all {
		b.addText(c, b.st.CodeText)
		if strings.HasSuffix(c, " -") {
			b.addText("reads the text from standard input; y copies both", b.st.Dim)
		}
	}
}

// addConflict shows the three texts as two diffs.
func (b *docBuilder) addConflict(c *rewrite.Conflict) {
	switch {
	case c.Merged != "":
		b.addPoint(difference.Warns, "The policy was changed meanwhile. Both edits touch different lines and can be merged.", themes.Text)
	case c.Now != "" && c.Wanted != "":
		b.addPoint(difference.Warns, "The policy was changed meanwhile. Both edits touch the same lines; merge by hand.", themes.Text)
	}
	b.addHeading("changed meanwhile: " + c.Key.Label())
	if c.Now == "" {
		b.addText("The policy was removed.", b.st.Text)
	} else {
		b.addDiff(c.Diff)
	}
	b.addHeading("your change")
	if c.Wanted == "" {
		b.addText("The policy was to be removed.", b.st.Text)
		return
	}
	b.addDiff(udiff.Unified("as it was", "wanted", withFinalNewline(c.Base), withFinalNewline(c.Wanted)))
}

// withFinalNewline ends a text that is not empty with a newline.
func withFinalNewline(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// addDiff shows a unified diff.
func (b *docBuilder) addDiff(text string) {
	shown := words.Escape(text)
	if shown != text {
		b.addPoint(difference.Warns, widget.Escaped, themes.Text)
	}
	for l := range strings.Lines(shown) {
		l = widget.CleanText(strings.TrimSuffix(l, "\n"))
		st := b.st.Text
		switch {
		case strings.HasPrefix(l, "+"):
			st = b.st.Added
		case strings.HasPrefix(l, "-"):
			st = b.st.Removed
		case strings.HasPrefix(l, "@@"):
			st = b.st.Dim
		}
		b.addLong(widget.Line{{Text: " "}, {Text: l, Style: st}}, 5)
	}
}
