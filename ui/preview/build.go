package preview

import (
	"errors"
	"fmt"
	"strings"

	"rung/change/planrun"
	"rung/model/words"
	"rung/pages/difference"
	"rung/system"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// shortChange bounds the lines of the change shown before its consequences.
const shortChange = 3

// wide is the least width for rows beside the change.
const wide = 110

// buildDocs rebuilds the documents when their inputs changed.
func (v *View) buildDocs(env *view.Env) {
	v.side = env.W >= wide && v.p != nil && len(v.p.Rows) > 0
	key := builtKey{v.p, env.W, v.side, v.diff, v.whole, v.phase, env.Styles, v.writeProblem, v.notice, ""}
	if v.phase >= waiting {
		key.shown = fmt.Sprint(v.zonesShown)
	}
	if key == v.built {
		return
	}
	v.built = key
	v.onRows = v.onRows && v.side
	lw, rw := v.paneWidths(env.W)
	left := v.newBuilder(env, lw)
	if v.p == nil || v.phase == failed {
		v.addHead(left, nil)
		v.change.SetLines(left.lines)
		return
	}
	t := difference.PreviewText(v.p)
	v.addHead(left, t)
	// The consequences matter most: a long list of changes comes after them.
	change := v.newBuilder(env, lw)
	change.addChanges(t.Objects, v.diff)
	short := len(change.lines) <= shortChange && !v.diff
	if short {
		left.lines = append(left.lines, change.lines...)
	}
	left.addConsequences(t, env.KeyHint(action.GoOmitted))
	if !v.diff {
		left.addGroups(t)
	}
	if !short {
		title := words.Choose(v.diff, "change, as text", "change")
		left.addHeading(title)
		left.lines = append(left.lines, change.lines...)
	}
	if v.diff { // the requested diff comes first
		left.addGroups(t)
	}
	right := left
	if v.side {
		right = v.newBuilder(env, rw)
	}
	if env.Rev.System.HasFeature(system.Rows) {
		right.addRows(v.p)
	}
	left.addCommands(v.p.Commands)
	if !v.diff {
		left.addTexts(v.p.Objects)
	}
	if v.side {
		v.rows.SetLines(right.lines)
	} else {
		v.rows.SetLines(nil)
	}
	v.change.SetLines(left.lines)
}

// newBuilder starts a document for a pane of w cells.
func (v *View) newBuilder(env *view.Env, w int) *docBuilder {
	return &docBuilder{st: env.Styles, w: w - 3, whole: v.whole, maxMemberBytes: defaultMemberBytes}
}

func (v *View) paneWidths(w int) (left, right int) {
	if !v.side {
		return w, 0
	}
	left = w * 11 / 20
	return left, w - left - 1
}

// addHead adds the title of the change and its problems.
func (v *View) addHead(b *docBuilder, t *difference.PreviewParts) {
	if v.phase == failed {
		text := "The change could not be computed: " + v.err.Error()
		if errors.Is(v.err, planrun.ErrPlan) {
			text = v.err.Error() // the error already says that it was refused, and why
		}
		b.addPoint(difference.Wrong, text, themes.Text)
		b.addText("Nothing was changed.", b.st.Text)
		return
	}
	if v.p == nil {
		return
	}
	b.addText(v.p.Title, b.st.Title)
	for _, p := range t.Headline {
		b.addPoint(p.Sign, p.Text, words.Choose(p.Sign == difference.Warns, themes.Title, themes.Text))
	}
	b.addPoints(t.Surplus)
	if v.phase >= waiting {
		v.addZones(b)
	}
	if v.writeProblem != "" {
		b.addPoint(difference.Wrong, "Not written: "+v.writeProblem+". Nothing was changed.", themes.Error)
	}
	if v.notice != "" {
		b.addPoint(difference.Warns, v.notice, themes.Text)
	}
	b.addPoints(t.Errors)
	if v.opt.Kept != "" && v.p.Blocked != "" {
		b.addText("Your text is kept in "+v.opt.Kept, b.st.Dim)
	}
	if c := v.p.Conflict; c != nil {
		b.addConflict(c)
	}
}

// addZones adds what each zone shows.
func (v *View) addZones(b *docBuilder) {
	_, ok := countShown(v.zonesShown)
	b.addText(fmt.Sprintf("Written. %s of %s zones show it:", words.Thousands(ok), words.Thousands(len(v.zonesShown))), b.st.Text)
	for _, s := range v.zonesShown {
		mark, st, text := words.Live, b.st.OK, "shows it"
		if !s.OK {
			mark, st, text = words.Waiting, b.st.Warn, "not yet"
		}
		text += words.Between(": ", s.Why, "")
		b.addLine(widget.Line{{Text: " " + mark + " ", Style: st}, {Text: s.Zone, Style: b.st.Accent}, {Text: "  " + text}})
	}
}

// Render draws the change, the rows beside or below it, and the question.
func (v *View) Render(env *view.Env, w, h int) string {
	v.buildDocs(env)
	q := v.questionLines(env, w)
	room := h - len(q)
	if room < 1 { // the answer matters more than the details
		return widget.PadBlock(q[max(0, len(q)-max(0, h)):], h)
	}
	var body string
	if v.side {
		lw, rw := v.paneWidths(w)
		body = widget.JoinBlocks(env.Styles, v.change.RenderFocus(env.Styles, lw, room, !v.onRows), v.rows.RenderFocus(env.Styles, rw, room,
			v.onRows), room)
	} else {
		body = v.change.Render(env.Styles, w, room)
	}
	if n := v.change.LinesBelow(); n > 0 {
		q[0] = v.moreLine(env, n, w)
	}
	return body + "\n" + widget.PadBlock(q, len(q))
}

// moreLine returns the line above the question if the page has more lines below.
func (v *View) moreLine(env *view.Env, n, w int) string {
	l := widget.Line{{Text: " ↓ " + words.Count(n, "more line") + " ", Style: env.Styles.Info}}
	if key := env.KeyHint(action.PreviewSection); key != "" && v.change.IsLong() {
		l = l.Add("· ", env.Styles.Border).Add(key, env.Styles.Key).Add(" next section ", env.Styles.Text)
	}
	if left := w - l.LineWidth() - 2; left > 0 {
		l = widget.JoinLines(widget.StyledLine(dashesText(left), env.Styles.Border), l, widget.StyledLine(dashesText(2), env.Styles.Border))
	}
	return l.Render(w)
}

// SetFilter filters the change and the rows.
func (v *View) SetFilter(f widget.LineFilter) {
	v.change.SetFilter(f)
	v.rows.SetFilter(f)
	v.filtered = !f.IsEmpty()
}

// CountLines returns the numbers of shown and of all lines.
func (v *View) CountLines() (shown, all int) {
	shown, all = v.change.CountLines()
	rows, allRows := v.rows.CountLines()
	return shown + rows, all + allRows
}

// Click puts the cursor on a line of the clicked pane.
func (v *View) Click(_ *view.Env, x, y int) bool {
	lw, _ := v.paneWidths(v.built.w)
	v.onRows = v.side && x > lw
	return v.readPane().Click(y)
}

// Wheel scrolls.
func (v *View) Wheel(_ *view.Env, lines int) { v.readPane().Wheel(lines) }

func dashesText(w int) string { return strings.Repeat("─", max(0, w)) }
