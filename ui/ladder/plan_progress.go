package ladder

import (
	"cmp"
	"fmt"
	"strings"

	"rung/model/words"
	told "rung/pages/plan"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// stepsTitle returns the heading of the steps, if possible within w cells.
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

// stepID returns the identity of a step in the list.
func stepID(i int) string { return fmt.Sprintf("step %d", i) }

// stepLines lists the steps with their states and notes.
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
		say(told.Steps.Empty, st.Dim)
		return out
	}
	names := widget.WidestText(steps, func(s told.Step) string { return s.Policy })
	digits := len(fmt.Sprint(len(steps)))
	names = max(8, min(names, w-digits-16))
	for i, s := range steps {
		sign, role := s.StateSign()
		mark, look, text := widget.StyledSpan(sign, st), st.TokenStyle(role), waitingText(p, &s, env)
		name := widget.TruncateText(s.Policy, names)
		l := widget.Line{{Text: fmt.Sprintf("%-2s", mark.Text), Style: mark.Style}, {Text: fmt.Sprintf("%*d  ", digits, s.Number), Style: st.Dim},
			{Text: name, Style: look}}
		add(stepID(i), l.Add(strings.Repeat(" ", max(0, names-widget.TextWidth(name)))+fmt.Sprintf(" %3d → %-3d", s.From, s.To), look))
		under := func(text string, look themes.Style) {
			for _, n := range widget.FlowText(text, max(10, w-7-digits)) {
				if n != "" {
					add("", widget.StyledLine(strings.Repeat(" ", digits+4)+n, look))
				}
			}
		}
		under(text, mark.Style)
		under(s.Note, st.Dim)
	}
	return out
}

// waitingText says what a step waits for, without the reason of a stopped plan.
func waitingText(p *revision.PlanState, s *told.Step, env *view.Env) string {
	if s.State != revision.StepRunning && s.State != revision.StepWaiting || len(p.Waits) == 0 && p.State != revision.PlanWaiting {
		return ""
	}
	still := *p
	if p.State == revision.PlanStopped {
		still.Why = ""
	}
	return still.WaitingText(env.Now)
}

// progressLines describes a plan that runs, waits, stopped or is done.
func (v *planPage) progressLines(env *view.Env, w int) []string {
	st, p := env.Styles, v.ourPlan()
	key := env.KeyHint
	sign, word, made := told.DescribeState(p)
	mark, style := sign.Text, st.TokenStyle(sign.Role)
	var next []string
	switch p.State {
	case revision.PlanWaiting:
		if p.Stopping {
			break
		}
		next = []string{"it continues by itself", key(action.PlanStop) + " stop"}
	case revision.PlanStopped:
		next = v.answerLines(env)
	case revision.PlanDone:
		if p.IsUndoneBy(env.Rev.Undo) {
			next = append(next, key(action.Undo)+" undo all of it")
		}
		next = append(next, key(action.PlanStop)+" close")
	default:
		next = []string{key(action.PlanStop) + " stop after this step", "it continues when you leave this page"}
		if p.Stopping {
			next = nil
		}
		mark = cmp.Or(env.Sign, mark)
	}
	if by := p.RunBy(); by != "" {
		word = by
		next = []string{"this page follows it; only that Rung can stop it"}
	}
	l := widget.Line{{Text: " " + mark + " " + word, Style: style}, {Text: "  " + made + "  "}}
	apart := ""
	if p.RunsElsewhere() {
		l[1].Text = ": " + made + "  "
		if l.LineWidth() > w {
			l, apart = widget.Line{{Text: " " + mark + " " + word, Style: style}}, made
		}
	}
	if bar := min(16, w-l.LineWidth()-1); bar >= 4 && p.State != revision.PlanDone {
		n, of := p.StepsDoneAndTotal()
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
		if step != "" && p.Stuck == "" {
			say("next: "+step, st.Title)
		}
	case p.Step != "":
		say("step: "+p.Step, st.Title)
	}
	if why := p.WaitingText(env.Now); why != "" && p.Stuck == "" { // otherwise Stuck is shown
		say(why, style)
	}
	say(strings.Join(next, " · "), st.Dim)
	return lines
}

// answerLines lists how to go on with a stopped plan, or why that is not possible.
func (v *planPage) answerLines(env *view.Env) []string {
	key := env.KeyHint
	keep := key(action.PlanStop) + " keep as is"
	if m := env.Rev.Mode; !m.Writes {
		why := m.WhyNot
		if why == "" {
			why = "read-only (" + key(action.Writes) + " allows changes)"
		}
		return []string{"cannot continue or roll back: " + why, keep}
	}
	if why := v.state.Stuck; why != "" {
		return []string{"cannot continue or roll back: " + why} // Stuck includes the remedies
	}
	if v.state.RollingBack {
		return []string{key(action.PlanBack) + " roll back the rest", key(action.PlanRun) + " continue the plan", keep}
	}
	return []string{key(action.PlanRun) + " continue", key(action.PlanBack) + " roll back", keep}
}
