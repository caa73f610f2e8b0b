package plan

import (
	"fmt"
	"strings"

	"rung/model/signs"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// stepsTitle heads the steps, in so many cells if it can.
func (v *planPage) stepsTitle(w int) string {
	n := len(v.listedSteps())
	if n == 0 {
		return "steps"
	}
	short := words.Count(n, "step")
	if long := short + ", waiting for every zone after each"; widget.TextWidth(long)+4 <= w {
		return long
	}
	return short
}

// stepID is the identity of a step in the list.
func stepID(i int) string { return fmt.Sprintf("step %d", i) }

// stepLines lists the steps, how each is and what holds after it.
func (v *planPage) stepLines(env *view.Env) []widget.DocLine {
	st := env.Styles
	_, w := v.blockWidths(env.W)
	var out []widget.DocLine
	add := func(id string, l widget.Line) { out = append(out, widget.DocLine{ID: id, Line: l}) }
	say := func(text string, look themes.Style) {
		for _, l := range widget.FlowText(text, max(10, w-3)) {
			add("", widget.StyledLine(l, look))
		}
	}
	steps, p := v.listedSteps(), v.ourPlan()
	switch {
	case p == nil && v.p.err != nil:
		say(v.p.err.Error(), st.Warn)
		return out
	case len(steps) == 0:
		say("no policy has to move", st.Dim)
		return out
	}
	names := 0
	for _, s := range steps {
		names = max(names, widget.TextWidth(s.Policy))
	}
	digits := len(fmt.Sprint(len(steps)))
	names = max(8, min(names, w-digits-16))
	for i, s := range steps {
		mark, look, text := stepState(p, s, st, env)
		name := widget.TruncateText(s.Policy, names)
		l := widget.Line{{Text: mark.Text + " ", Style: mark.Style}, {Text: fmt.Sprintf("%*d  ", digits, i+1), Style: st.Dim}, {Text: name, Style: look}}
		add(stepID(i), l.Add(strings.Repeat(" ", max(0, names-widget.TextWidth(name)))+fmt.Sprintf(" %3d → %-3d", s.From, s.To), look))
		under := func(text string, look themes.Style) {
			for _, n := range widget.FlowText(text, max(10, w-7-digits)) {
				if n != "" {
					add("", widget.StyledLine(strings.Repeat(" ", digits+4)+n, look))
				}
			}
		}
		under(text, mark.Style)
		if s.State != revision.StepDone {
			under(noteAt(steps, i), st.Dim)
		}
	}
	return out
}

// noteAt returns the note that holds at a step. The note about a tie belongs to the step that
// moves its first member; it is shown at the first of the tie's steps that is not done.
func noteAt(steps []revision.PlanStep, i int) string {
	note := steps[i].Note
	for j := i - 1; note == "" && j >= 0 && steps[j].State == revision.StepDone && steps[j].From == steps[i].From && steps[j].To == steps[i].To; j-- {
		note = steps[j].Note
	}
	return note
}

// stepState is how a step of a plan is: its sign, the look of its name, and what it waits
// for.
func stepState(p *revision.PlanState, s revision.PlanStep, st *themes.StyleSet, env *view.Env) (mark widget.Span, look themes.Style, text string) {
	mark, look = widget.Span{Text: " ", Style: st.Dim}, st.Text
	switch s.State {
	case revision.StepDone:
		return widget.Span{Text: signs.Yes, Style: st.OK}, st.Dim, ""
	case revision.StepRunning:
		mark = widget.Span{Text: signs.Working, Style: st.Info}
	case revision.StepWaiting:
		mark = widget.Span{Text: signs.Waiting, Style: st.Warn}
	default:
		return mark, look, ""
	}
	if len(p.Waits) > 0 || p.State == revision.PlanWaiting {
		text = waitingText(p, env)
	}
	return mark, st.Title, text
}

// waitingText says what the plan waits for, without the reason of a plan that stopped.
func waitingText(p *revision.PlanState, env *view.Env) string {
	if p.State == revision.PlanStopped {
		still := *p
		still.Why = ""
		return still.WaitingText(env.Now)
	}
	return p.WaitingText(env.Now)
}

// progressLines is a plan that runs, waits, stopped or is done.
func (v *planPage) progressLines(env *view.Env, w int) []string {
	st, p := env.Styles, v.ourPlan()
	key := func(id action.ID) string { return env.Keys.ActionByID(id).HintKey() }
	sign, word, style := signs.Working, "running", st.Info
	if p.Back {
		word = "rolling back"
	}
	var next []string
	switch p.State {
	case revision.PlanWaiting:
		sign, style = signs.Waiting, st.Warn
		word = "waiting"
		if p.Back {
			word = "rolling back, waiting"
		}
		next = []string{"it continues by itself", key(action.PlanStop) + " stop"}
	case revision.PlanStopped:
		sign, word, style = signs.Failed, "stopped", st.Error
		if p.Back {
			word = "roll back stopped"
		}
		next = v.answerLines(env)
	case revision.PlanDone:
		sign, word, style = signs.Yes, "done", st.OK
		if p.Back {
			word = "rolled back"
		}
		if p.TakenBackBy(env.Rev.Undo) {
			next = append(next, key(action.Undo)+" undo all of it")
		}
		next = append(next, key(action.PlanStop)+" close")
	default:
		next = []string{key(action.PlanStop) + " stop after this step", "it continues when you leave this page"}
		if env.Sign != "" {
			sign = env.Sign
		}
	}
	if by := p.RunBy(); by != "" {
		word = by
		next = []string{"this page follows it; only that Rung can stop it"}
	}
	l := widget.Line{{Text: " " + sign + " " + word, Style: style}, {Text: "  " + madeText(p) + "  "}}
	apart := ""
	if p.RunsElsewhere() {
		l[1].Text = ": " + madeText(p) + "  "
		if l.LineWidth() > w {
			l, apart = widget.Line{{Text: " " + sign + " " + word, Style: style}}, madeText(p)
		}
	}
	if bar := min(16, w-l.LineWidth()-1); bar >= 4 && p.State != revision.PlanDone {
		n, of := p.StepsOfWay()
		l = append(l, widget.ProgressBar(st, style, int64(n), int64(of), bar)...)
	}
	if title := "  " + p.Title; p.Title != "" && l.LineWidth()+widget.TextWidth(title) <= w {
		l = l.Add(title, st.Dim)
	}
	lines := []string{l.Render(w)}
	say := func(text string, look themes.Style) {
		for i, s := range widget.FlowText(text, max(8, w-4)) {
			if i < 3 && s != "" {
				lines = append(lines, widget.StyledLine("   "+s, look).Render(w))
			}
		}
	}
	say(apart, st.Text)
	switch step := p.NextStep(); {
	case p.State == revision.PlanDone:
	case p.State == revision.PlanStopped:
		if step != "" && stuckText(p) == "" {
			say("next: "+step, st.Title)
		}
	case p.Step != "":
		say("step: "+p.Step, st.Title)
	}
	if why := p.WaitingText(env.Now); why != "" && stuckText(p) == "" { // else it is what cannot be done
		say(why, style)
	}
	say(strings.Join(next, " · "), st.Dim)
	return lines
}

// madeText is how much of a plan is done.
func madeText(p *revision.PlanState) string {
	switch {
	case p.State != revision.PlanDone && p.Back:
		return p.PlaceText()
	case p.State != revision.PlanDone:
		return p.String()
	case p.Back:
		return "the policies are where they were"
	}
	return fmt.Sprintf("%s of %s steps", words.Thousands(p.Done), words.Thousands(p.Total))
}

// stuckText says why a plan that stopped can be neither continued nor rolled back, and the
// ways out; empty where it can, and where it did not stop.
func stuckText(p *revision.PlanState) string {
	if p == nil || p.State != revision.PlanStopped {
		return ""
	}
	return p.Stuck
}

// answerLines returns the lines about how to go on with a stopped plan, or why one cannot.
func (v *planPage) answerLines(env *view.Env) []string {
	key := func(id action.ID) string { return env.Keys.ActionByID(id).HintKey() }
	keep := key(action.PlanStop) + " keep as is"
	if m := env.Rev.Mode; !m.Writes {
		why := m.WhyNot
		if why == "" {
			why = "read-only (" + key(action.Writes) + " allows changes)"
		}
		return []string{"cannot continue or roll back: " + why, keep}
	}
	if why := stuckText(v.state); why != "" {
		return []string{"cannot continue or roll back: " + why} // the ways out with it
	}
	if v.state.Back {
		return []string{key(action.PlanBack) + " roll back the rest", key(action.PlanRun) + " continue the plan", keep}
	}
	return []string{key(action.PlanRun) + " continue", key(action.PlanBack) + " roll back", keep}
}
