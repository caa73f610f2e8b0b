package ladder

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"rung/change"
	"rung/change/planrun"
	"rung/model/plan"
	"rung/model/words"
	"rung/revision"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/preview"
	"rung/ui/view"
)

// askSpacing asks for step and start.
func (v *planPage) askSpacing(env *view.Env) {
	b := v.board
	if b == nil {
		return
	}
	label := "Step and start (10 5: every 10, starting at 5):"
	if largest := b.LargestSpacingText(); largest != "" {
		label = "Step and start. " + largest
	}
	env.AskDialog(&view.PromptDialog{Title: "re-space the ladder", Label: label, Value: fmt.Sprintf("%d %d", max(v.p.space.Step, 1),
		v.p.space.Start),
		Check: func(s string) string {
			space, err := parseSpacing(b, s)
			if err == nil {
				_, err = b.Respace(space.Step, space.Start)
			}
			if err != nil {
				return err.Error()
			}
			return ""
		},
		Done: func(env *view.Env, s string) {
			space, _ := parseSpacing(b, s) // checked above
			v.proposePlan(env, planProposal{space: space})
		}})
}

// proposePlan shows another proposal, which replaces a finished plan.
func (v *planPage) proposePlan(env *view.Env, p planProposal) {
	v.p, v.planHidden = p, v.state != nil && !v.state.IsOpen()
	v.Sync(env)
}

// insertPolicy proposes room for a new policy below the cursor.
func (v *planPage) insertPolicy(env *view.Env) {
	here, next := v.neighbourNames()
	if here == "" {
		env.OpenPage(nav.ToNew(10))
		return
	}
	p := planProposal{insert: true, policyAbove: here, policyBelow: next}
	p.workOut(v.board)
	switch {
	case p.err != nil:
		env.ShowFailure("%v", p.err)
	case len(p.plan.Steps) > 0:
		v.proposePlan(env, p)
		env.ShowText("room at %d after %s in %s; %s run", p.newPriority, here, stepCount(p.plan.Steps), env.KeyHint(action.PlanRun))
	default:
		at := p.newPriority
		env.AskDialog(&view.ConfirmDialog{Title: p.proposalTitle(),
			Body:    []string{fmt.Sprintf("Priority %d is free. Create a policy there?", at)},
			YesText: "create it", Yes: func(env *view.Env) { env.OpenPage(nav.ToNew(at)) }})
	}
}

func stepCount(steps []plan.Step) string { return words.Count(len(steps), "step") }

// newPolicy opens a new policy in the room that was made, or at the first free priority below the cursor.
func (v *planPage) newPolicy(env *view.Env) {
	if at, ok := v.freeBelow(); ok {
		env.OpenPage(nav.ToNew(at))
		return
	}
	env.ShowFailure("no priority below the cursor is free: %s makes room", env.KeyHint(action.PlanInsert))
}

// pickTemplate opens the templates; a blank policy gets newPolicy's priority.
func (v *planPage) pickTemplate(env *view.Env) {
	at, _ := v.freeBelow()
	env.OpenPage(nav.ToTemplate(at))
}

// freeBelow returns the priority of the room that was made, else the first free one below the cursor.
func (v *planPage) freeBelow() (int32, bool) {
	if v.p.insert && v.p.err == nil && len(v.p.plan.Steps) == 0 {
		return v.p.newPriority, true
	}
	r, ok := v.table.SelectedItem()
	for _, g := range v.board.FreeRuns() {
		if !ok {
			return g.From, true
		}
		if g.To > r.Now {
			return max(g.From, r.Now+1), true
		}
	}
	return 0, false
}

// whyGone returns a function that says what another Rung did to a plan that stopped, if it is not stopped any
// more. ranBy returns the process seen running it since, 0 if none.
func whyGone(stopped *revision.PlanState, ranBy func() int) func(view.Console, error) error {
	return func(c view.Console, err error) error {
		if !errors.Is(err, planrun.ErrPlan) {
			return err
		}
		now := c.Revision().Plan
		did, by := "ended", ranBy()
		switch {
		case now != nil && now.State == revision.PlanStopped:
			return err // the error has another cause
		case now.RunsElsewhere():
			did, by = "is continuing", now.Runner.PID
			if now.RollingBack {
				did = "is rolling back"
			}
		case now.IsUnderWay():
			return err
		case now != nil && now.RollingBack:
			did = "rolled back"
		case now != nil || stopped.IsTargetReached(c.Revision().Cluster):
			did = "finished"
		}
		who := "another console or command"
		if by != 0 {
			who += fmt.Sprintf(" (pid %d)", by)
		}
		return fmt.Errorf("%w: %s %s the plan", planrun.ErrPlan, who, did)
	}
}

// runPlan previews the proposed plan; yes starts it.
func (v *planPage) runPlan(env *view.Env) {
	p := v.p.plan
	v.askPlan(env, change.RunPlan(&p), nil, "Run "+stepCount(p.Steps))
}

func (v *planPage) askFurther(env *view.Env, back bool, question string) {
	v.askPlan(env, change.ContinuePlan(back), whyGone(v.state, v.noteRunner()), question)
}

// noteRunner starts recording which other Rung runs the plan, and returns the function that reads it.
func (v *planPage) noteRunner() func() int {
	v.otherRunner = &atomic.Int64{}
	other := v.otherRunner
	return func() int { return int(other.Load()) }
}

// remainingSteps counts the remaining steps of a stopped plan.
func remainingSteps(p *revision.PlanState) string {
	n := 0
	for _, s := range p.Steps {
		if s.State == revision.StepPending {
			n++
		}
	}
	return words.Choose(n == 0, "the last step", "the "+words.Count(n, "remaining step"))
}

// askPlan previews a plan; after a yes it runs by itself.
func (v *planPage) askPlan(env *view.Env, m change.Mutation, explain func(view.Console, error) error, question string) {
	v.pre = preview.PreviewMutation(m, preview.PreviewOptions{Crumb: "preview", Explain: explain,
		Question: question + ", waiting for every zone after each?",
		Cancel:   func(env *view.Env) { v.pre = nil; env.ShowText("nothing was changed") },
		Done:     func(*view.Env) { v.pre, v.onSteps, v.planHidden = nil, false, false },
	})
	v.pre.Sync(env)
}

// parseSpacing parses "10" or "10 5": the step and, optionally, the start.
func parseSpacing(b *plan.Board, s string) (plan.Spacing, error) {
	f := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' })
	if len(f) == 0 || len(f) > 2 {
		return plan.Spacing{}, errNumbers
	}
	n := make([]int32, len(f))
	for i, w := range f {
		var err error
		if n[i], err = parseNumber(w); err != nil {
			return plan.Spacing{}, err
		}
	}
	if len(n) == 1 {
		return b.SpacingOfStep(n[0]), nil
	}
	return plan.Spacing{Step: n[0], Start: n[1]}, nil
}
