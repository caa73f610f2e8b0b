package ladder

import (
	"fmt"
	"slices"
	"strings"

	"rung/model/plan"
	"rung/model/words"
	told "rung/pages/plan"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// sideBySide is the least width for ladder and steps side by side.
const sideBySide = 76

// halvesWidth is the width from which the ladder has half of the page; below, it takes what its names need.
const halvesWidth = 100

// blockWidths returns the widths of the ladder and of the steps, in cells.
func (v *planPage) blockWidths(w int) (left, right int) {
	if w < sideBySide {
		return w, w
	}
	left = w / 2
	if w < halvesWidth && v.boardErr == nil {
		names := widget.WidestText(v.board.Placements(), func(s plan.Placement) string { return s.Policy })
		left = min(max(30, fixed+names), left+4)
	}
	return left, w - left - 1
}

// Render draws the ladder now and as planned, the steps, and the progress of a plan.
func (v *planPage) Render(env *view.Env, w, h int) string {
	if v.boardErr != nil {
		return widget.PadBlock([]string{widget.StyledLine(" "+words.No+" "+v.boardErr.Error(), env.Styles.Error).Render(w)}, h)
	}
	var top, bottom []string
	if h >= 8 {
		top = v.headLines(env, w)
		bottom = v.noteLines(env, w, h)
	} else if v.ourPlan() != nil && h >= 2 {
		top = v.progressLines(env, w)[:1]
	}
	room := max(1, h-len(top)-len(bottom))
	lw, rw := v.blockWidths(w)
	const ladder = "now → planned"
	var body string
	switch {
	case w >= sideBySide:
		left := v.drawBlock(env, ladder, v.table.RenderFocus(env.Styles, lw, max(0, room-1), !v.onSteps), lw, room)
		right := v.drawBlock(env, v.stepsTitle(rw), v.steps.RenderFocus(env.Styles, rw, max(0, room-1), v.onSteps), rw, room)
		body = widget.JoinBlocks(env.Styles, left, right, room)
	case v.onSteps:
		body = v.drawBlock(env, v.stepsTitle(w-18)+" (tab: priorities)", v.steps.Render(env.Styles, w, max(0, room-1)), w, room)
	default:
		body = v.drawBlock(env, ladder+" (tab: "+v.stepsTitle(0)+")", v.table.Render(env.Styles, w, max(0, room-1)), w, room)
	}
	lines := slices.Concat(top, strings.Split(body, "\n"), bottom)
	return widget.PadBlock(lines, h)
}

// drawBlock adds a heading to a block.
func (v *planPage) drawBlock(env *view.Env, title, block string, w, h int) string {
	if h <= 1 {
		return block
	}
	return widget.HeadingLine(title, w, env.Styles).Render(w) + "\n" + block
}

// headLines describes the proposal, or the progress of a plan.
func (v *planPage) headLines(env *view.Env, w int) []string {
	if v.ourPlan() != nil {
		return v.progressLines(env, w)
	}
	l := widget.Line{{Text: " " + v.p.proposalTitle(), Style: env.Styles.Title}}
	for _, text := range told.GapForms(v.board, v.board.WithMoved(v.plannedPlaces())) {
		if l.LineWidth()+3+widget.TextWidth(text) <= w {
			l = l.Add("   "+text, env.Styles.Dim)
			break
		}
	}
	return []string{l.Render(w)}
}

// noteLines returns the notes below the proposal.
func (v *planPage) noteLines(env *view.Env, w, h int) []string {
	if v.ourPlan().IsOpen() {
		return nil
	}
	st := env.Styles
	var lines []string
	say := func(mark, text string, style themes.Style) {
		for _, l := range widget.FlowText(text, max(8, w-4)) {
			lines = append(lines, widget.Line{{Text: " " + mark + " ", Style: style}, {Text: l}}.Render(w))
			mark = " "
		}
	}
	if v.p.err == nil && v.ourPlan() == nil {
		for _, n := range v.p.plan.Notes {
			say(words.Noted, n, st.Dim)
		}
	}
	if v.p.err == nil && v.p.insert && len(v.p.plan.Steps) == 0 {
		key := env.KeyHint(action.PlanNew)
		say(words.Yes, fmt.Sprintf("priority %d is free: %s creates a policy there", v.p.newPriority, key), st.OK)
	}
	say(words.Noted, told.FreeText(v.board), st.Dim)
	if most := max(2, h/4); len(lines) > most {
		lines = append(lines[:most-1], widget.StyledLine(fmt.Sprintf("   and %s (a larger terminal shows them)",
			words.Count(len(lines)-most+1, "more line")), st.Dim).Render(w))
	}
	return slices.Insert(lines, 0, widget.StyledLine(strings.Repeat("─", w), st.Border).Render(w))
}

// Click puts the cursor into the clicked pane.
func (v *planPage) Click(env *view.Env, x, y int) bool {
	if v.boardErr != nil {
		return false
	}
	if env.H >= 8 {
		y -= len(v.headLines(env, env.W)) + 1
	}
	if lw, _ := v.blockWidths(env.W); v.side {
		v.onSteps = x > lw
	}
	return v.activeList().Click(y)
}

// Wheel scrolls.
func (v *planPage) Wheel(_ *view.Env, lines int) { v.activeList().Wheel(lines) }

// listedSteps returns the steps of the plan shown, else of the proposal.
func (v *planPage) listedSteps() []told.Step {
	if p := v.ourPlan(); p != nil {
		return told.ListSteps(p)
	}
	return told.ProposedSteps(v.p.plan.Steps, 1)
}
