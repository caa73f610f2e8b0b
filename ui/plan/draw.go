package plan

import (
	"fmt"
	"slices"
	"strings"

	"rung/engine/gate"
	"rung/model/plan"
	"rung/model/words"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// shown is the plan whose steps are on the page: the one under way, else the
// proposal. known is false for a plan of a former run, whose steps are stored
// but not known here.
func (v *page) shown() (p *plan.Plan, done int, known bool) {
	st := v.state
	switch {
	case st == nil || st.State == gate.PlanDone && v.running == nil:
		return &v.p.plan, 0, true
	case v.running != nil && len(v.running.Steps) == st.Total:
		return v.running, st.Done, true
	}
	return nil, st.Done, false
}

// stepLines lists the steps with what holds after each.
func (v *page) stepLines(env *view.Env) []widget.DocLine {
	st := env.Styles
	var out []widget.DocLine
	add := func(l widget.Line) { out = append(out, widget.DocLine{Line: l}) }
	p, done, known := v.shown()
	_, w := v.widths(env.W)
	if !known {
		for _, l := range widget.Flow("The steps of the plan that was started before are stored, and not listed here.", max(10, w-3)) {
			add(widget.Styled(l, st.Dim))
		}
		return out
	}
	if p == &v.p.plan && v.p.err != nil {
		for _, l := range widget.Flow(v.p.err.Error(), max(10, w-3)) {
			add(widget.Styled(l, st.Warn))
		}
		return out
	}
	if len(p.Steps) == 0 {
		add(widget.Styled("no policy has to move", st.Dim))
		return out
	}
	names := 0
	for _, s := range p.Steps {
		names = max(names, widget.Width(s.Policy))
	}
	digits := len(fmt.Sprint(len(p.Steps)))
	names = max(8, min(names, w-digits-17))
	for i, s := range p.Steps {
		mark, look := " ", st.Text
		if v.state != nil {
			// The step before may be written and still on its way to the rows.
			under := done
			if done > 0 && v.state.Step == text(p.Steps[done-1]) {
				under--
			}
			switch {
			case i < under || v.state.State == gate.PlanDone && i < done:
				mark, look = "✓", st.Dim
			case i == under:
				mark, look = "▶", st.Title
			}
		}
		name := widget.CutName(s.Policy, names)
		l := widget.Line{{Text: fmt.Sprintf("%s %*d  ", mark, digits, i+1), Style: st.Dim}, {Text: name, Style: look}}
		l = l.Add(strings.Repeat(" ", max(0, names-widget.Width(name)))+fmt.Sprintf(" %3d → %-3d", s.From, s.To), look)
		add(l)
		for _, n := range widget.Flow(s.Note, max(10, w-8-digits)) {
			if n != "" {
				add(widget.Styled(strings.Repeat(" ", digits+4)+n, st.Dim))
			}
		}
	}
	return out
}

// text is a step as the engine names it.
func text(s plan.Step) string { return fmt.Sprintf("%s %d → %d", s.Policy, s.From, s.To) }

func (v *page) widths(w int) (left, right int) {
	if w < 76 {
		return w, w
	}
	left = max(44, w/2)
	return left, w - left - 1
}

// Render draws the ladder now and then, the steps, and how a plan goes.
func (v *page) Render(env *view.Env, w, h int) string {
	if v.pre != nil {
		return v.pre.Render(env, w, h)
	}
	if v.boardErr != nil {
		return widget.Pad([]string{widget.Styled(" ✗ "+v.boardErr.Error(), env.Styles.Error).Render(w)}, h)
	}
	var top, bottom []string
	if h >= 8 {
		top = v.head(env, w)
		bottom = v.notes(env, w, h)
	} else if v.state != nil && h >= 2 {
		top = v.progress(env, w)[:1]
	}
	room := max(1, h-len(top)-len(bottom))
	lw, rw := v.widths(w)
	var body string
	switch {
	case w >= 76:
		left := v.pane(env, "now and then", v.table.RenderFocus(env.Styles, lw, max(0, room-1), !v.onSteps), lw, room)
		right := v.pane(env, v.stepsTitle(), v.steps.RenderFocus(env.Styles, rw, max(0, room-1), v.onSteps), rw, room)
		body = widget.Beside(env.Styles, left, right, room)
	case v.onSteps:
		body = v.pane(env, v.stepsTitle()+" (tab: the ladder)", v.steps.Render(env.Styles, w, max(0, room-1)), w, room)
	default:
		body = v.pane(env, "now and then (tab: "+v.stepsTitle()+")", v.table.Render(env.Styles, w, max(0, room-1)), w, room)
	}
	lines := slices.Concat(top, strings.Split(body, "\n"), bottom)
	return widget.Pad(lines, h)
}

// pane is a block with a heading.
func (v *page) pane(env *view.Env, title, block string, w, h int) string {
	if h <= 1 {
		return block
	}
	return widget.Heading(title, w, env.Styles).Render(w) + "\n" + block
}

func (v *page) stepsTitle() string {
	p, _, known := v.shown()
	if !known {
		return "steps"
	}
	if n := len(p.Steps); n > 0 {
		return fmt.Sprintf("%s, each waits for every zone", words.Count(n, "step"))
	}
	return "steps"
}

// head says what is proposed, or how the plan under way goes.
func (v *page) head(env *view.Env, w int) []string {
	if v.state != nil {
		return v.progress(env, w)
	}
	l := widget.Line{{Text: " " + v.p.title(), Style: env.Styles.Title}, {Text: "   " + gaps(v.board, &v.p), Style: env.Styles.Dim}}
	return []string{l.Render(w)}
}

// progress is a plan that runs, waits, stopped or is done.
func (v *page) progress(env *view.Env, w int) []string {
	st, p := env.Styles, v.state
	key := func(id action.ID) string { return env.Keys.Action(id).Shown() }
	sign, word, style := "▶", "running", st.Info
	var next []string
	switch p.State {
	case gate.PlanPaused:
		sign, word, style = "❚❚", "waiting", st.Warn
		next = []string{"it goes on by itself when that is over", key(action.PlanStop) + " stops it"}
	case gate.PlanStopped:
		sign, word, style = "■", "stopped", st.Error
		next = []string{key(action.PlanOn) + " goes on", key(action.PlanBack) + " takes the steps back", key(action.PlanForget) + " leaves the policies as they are"}
	case gate.PlanDone:
		sign, word, style = "✓", "done", st.OK
		next = []string{key(action.PlanForget) + " closes this"}
	default:
		next = []string{key(action.PlanStop) + " stops it after the step under way"}
		if env.Sign != "" {
			sign = env.Sign
		}
	}
	l := widget.Line{{Text: " " + sign + " " + word, Style: style}, {Text: fmt.Sprintf("  %d of %d done  ", p.Done, p.Total)}}
	l = append(l, widget.Bar(st, style, int64(p.Done), int64(p.Total), 16)...)
	if p.State != gate.PlanDone && p.Step != "" {
		l = l.Add("  "+p.Step, st.Title)
	}
	lines := []string{l.Render(w)}
	if p.Why != "" {
		for i, s := range widget.Flow(p.Why, max(8, w-4)) {
			if i < 2 {
				lines = append(lines, widget.Styled("   "+s, style).Render(w))
			}
		}
	}
	return append(lines, widget.Styled("   "+strings.Join(next, " · "), st.Dim).Render(w))
}

// notes are what to know about the proposal.
func (v *page) notes(env *view.Env, w, h int) []string {
	if v.state != nil && v.state.State != gate.PlanDone {
		return nil
	}
	st := env.Styles
	var lines []string
	say := func(mark, text string, style themes.Style) {
		for _, l := range widget.Flow(text, max(8, w-4)) {
			lines = append(lines, widget.Line{{Text: " " + mark + " ", Style: style}, {Text: l}}.Render(w))
			mark = " "
		}
	}
	if v.p.err == nil {
		for _, n := range v.p.plan.Notes {
			say("·", n, st.Dim)
		}
		if v.p.kind == insert && len(v.p.plan.Steps) == 0 {
			say("▲", fmt.Sprintf("%d is free: %s writes the new policy there", v.p.at, env.Keys.Action(action.PlanNew).Shown()), st.OK)
		}
	}
	if free := v.free(); free != "" {
		say("·", "free: "+free, st.Dim)
	}
	if most := max(2, h/4); len(lines) > most {
		lines = append(lines[:most-1], widget.Styled(fmt.Sprintf("   and %d lines more (a larger terminal shows them)", len(lines)-most+1), st.Dim).Render(w))
	}
	if len(lines) > 0 {
		lines = slices.Insert(lines, 0, widget.Styled(strings.Repeat("─", w), st.Border).Render(w))
	}
	return lines
}

// free lists the free runs.
func (v *page) free() string {
	var parts []string
	for _, g := range v.board.FreeRuns() {
		if g.From == g.To {
			parts = append(parts, fmt.Sprint(g.From))
		} else {
			parts = append(parts, fmt.Sprintf("%d–%d", g.From, g.To))
		}
	}
	return strings.Join(parts, "  ")
}

// Click puts the cursor into the pane that was hit.
func (v *page) Click(env *view.Env, x, y int) bool {
	if v.pre != nil {
		return v.pre.Click(env, x, y)
	}
	if env.H >= 8 {
		y -= len(v.head(env, env.W)) + 1
	}
	if lw, _ := v.widths(env.W); v.side {
		v.onSteps = x > lw
	}
	if v.onSteps {
		return v.steps.Click(y)
	}
	return v.table.Click(y)
}

// Wheel scrolls.
func (v *page) Wheel(env *view.Env, lines int) {
	switch {
	case v.pre != nil:
		v.pre.Wheel(env, lines)
	case v.onSteps:
		v.steps.Wheel(lines)
	default:
		v.table.Wheel(lines)
	}
}
