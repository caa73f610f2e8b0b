package ladder

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"rung/model/plan"
	"rung/model/words"
	told "rung/pages/plan"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/preview"
	"rung/ui/view"
	"rung/ui/widget"
)

// planPage is the view.
type planPage struct {
	table  *widget.Table[*told.PolicyMove]
	steps  *widget.DocView
	styles *themes.StyleSet

	board    *plan.Board
	boardErr error
	p        planProposal
	onSteps  bool
	side     bool
	pre      *preview.View
	state    *revision.PlanState
	// planHidden: a finished plan was replaced by a proposal
	planHidden bool
	// otherRunner is the process of another Rung that runs the previewed plan, 0 if none.
	otherRunner *atomic.Int64
	// cursorPolicy is the step that the list was last scrolled to.
	cursorPolicy string
}

// NewPlan makes the view.
func NewPlan(nav.Page) view.View {
	v := &planPage{steps: widget.NewDoc()}
	v.table = v.placesTable()
	return v
}

// FrontView returns the preview of a plan, nil if none.
func (v *planPage) FrontView() view.View {
	if v.pre == nil {
		return nil
	}
	return v.pre
}

// Sync updates the proposal for the present ladder.
func (v *planPage) Sync(env *view.Env) {
	v.styles, v.state = env.Styles, env.Rev.Plan
	if v.state == nil || v.state.IsOpen() {
		v.planHidden = false
	}
	if v.otherRunner != nil && v.state.RunsElsewhere() {
		v.otherRunner.Store(int64(v.state.Runner.PID))
	}
	v.board, v.boardErr = told.BoardOfRevision(env.Rev)
	if v.boardErr == nil {
		v.p.workOut(v.board)
		v.table.SetItems(told.PlannedMoves(v.board, v.plannedPlaces()))
	} else {
		v.p.plan, v.p.err = plan.Plan{}, v.boardErr
		v.table.SetItems(nil)
	}
	v.side = env.W >= sideBySide
	v.steps.SetLines(v.stepLines(env))
	v.followStep()
	if v.pre != nil {
		v.pre.Sync(env)
	}
}

// ourPlan returns the plan shown, nil if the proposal is shown.
func (v *planPage) ourPlan() *revision.PlanState {
	if v.planHidden {
		return nil
	}
	return v.state
}

// plannedPlaces returns the target priorities: of the plan shown, else of the proposal.
func (v *planPage) plannedPlaces() map[string]int32 {
	then := map[string]int32{}
	switch p := v.ourPlan(); {
	case p != nil:
		for _, s := range p.Steps {
			then[s.Policy] = s.To
			if p.RollingBack {
				then[s.Policy] = s.From
			}
		}
	case v.p.err == nil:
		for _, s := range v.p.plan.Then {
			then[s.Policy] = s.Priority
		}
	}
	return then
}

// followStep keeps the current step in sight while the cursor is not among the steps.
func (v *planPage) followStep() {
	p := v.ourPlan()
	if p == nil {
		v.cursorPolicy = ""
		return
	}
	at := slices.IndexFunc(p.Steps, func(s revision.PlanStep) bool { return s.State != revision.StepDone })
	if at < 0 {
		at = max(0, len(p.Steps)-1)
	}
	if id := stepID(at); id != v.cursorPolicy && !v.onSteps {
		v.cursorPolicy = id
		v.steps.SelectID(id)
	}
}

// neighbourNames returns the selected policy and the next one at another priority.
func (v *planPage) neighbourNames() (here, next string) {
	r, ok := v.table.SelectedItem()
	if !ok || v.board == nil {
		return "", ""
	}
	for _, s := range v.board.Placements() {
		if s.Priority > r.Now {
			return r.Policy, s.Policy
		}
	}
	return r.Policy, ""
}

// Do carries out the plan's actions.
func (v *planPage) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.PlanStep:
		v.askSpacing(env)
	case action.PlanInsert:
		v.insertPolicy(env)
	case action.PlanMove:
		if here, _ := v.neighbourNames(); here != "" {
			view.AskMove(env, plan.KeyOfName(here))
		}
	case action.PlanNew:
		v.newPolicy(env)
	case action.PlanTemplate:
		v.pickTemplate(env)
	case action.PlanRun:
		if p := v.ourPlan(); p != nil && p.State == revision.PlanStopped {
			v.askFurther(env, false, "Continue with "+remainingSteps(v.state))
		} else {
			v.runPlan(env)
		}
	case action.PlanBack:
		v.askFurther(env, true, "Roll back, the last step first")
	case action.PlanStop:
		v.endPlan(env)
	case action.PlanOpen:
		env.OpenPage(v.SelectedPage())
	case action.PlanExport:
		v.exportFiles(env)
	case action.Pane:
		v.onSteps = !v.onSteps
	default:
		return v.activeList().Do(id)
	}
	return true
}

// activeList returns the list with the cursor.
func (v *planPage) activeList() view.Lister {
	if v.onSteps {
		return v.steps
	}
	return v.table
}

// ReceiveResult passes results to the preview.
func (v *planPage) ReceiveResult(env *view.Env, msg any) {
	if v.pre != nil {
		v.pre.ReceiveResult(env, msg)
	}
}

// WhyNot says why an action is not possible now.
func (v *planPage) WhyNot(_ *view.Env, id action.ID) string {
	switch id {
	case action.PlanBack:
		if v.state != nil {
			return v.state.Stuck
		}
	case action.PlanRun, action.PlanExport:
		switch p := v.ourPlan(); {
		case p.IsOpen():
			return p.Stuck // the action table has the other reasons
		case v.p.err != nil:
			return v.p.err.Error()
		case len(v.p.plan.Steps) == 0:
			return "nothing to do: no policy has to move"
		}
	case action.PlanStep:
		if v.boardErr != nil {
			return v.boardErr.Error()
		}
	case action.PlanInsert, action.PlanNew, action.PlanTemplate:
		switch {
		case v.boardErr != nil:
			return v.boardErr.Error()
		case v.board.FreeCount() == 0:
			return "every priority is taken"
		}
	}
	return ""
}

// OffersAction selects the hints for a running or stopped plan, whose first key is shown above, or for a
// proposal.
func (v *planPage) OffersAction(_ *view.Env, id action.ID) bool {
	switch {
	case id == action.PlanBack || id == action.PlanStop:
		return v.state.IsOpen()
	case id == action.PlanRun || id == action.PlanStep || id == action.PlanInsert || id == action.PlanExport:
		return !v.state.IsOpen()
	}
	return true
}

// SelectedPage returns the selected policy.
func (v *planPage) SelectedPage() nav.Page {
	if r, ok := v.table.SelectedItem(); ok {
		return nav.ToPolicy(plan.KeyOfName(r.Policy))
	}
	return nav.Page{}
}

// PointTo puts the cursor on a policy.
func (v *planPage) PointTo(_ *view.Env, to nav.Page) bool { return v.table.SelectID(to.Key.Name) }

// Crumb names the page.
func (v *planPage) Crumb() string { return words.Choose(v.pre != nil, "plan: preview", "plan") }

// StateLine counts the free priorities.
func (v *planPage) StateLine(env *view.Env) widget.Line {
	if v.board == nil {
		return nil
	}
	return widget.StyledLine(told.CountText(v.board), env.Styles.Dim)
}

// SetFilter and CountLines make it a Filterer.
func (v *planPage) SetFilter(f widget.LineFilter) { v.table.SetFilter(f) }

// ColumnHelps explains the columns of the plan.
func (v *planPage) ColumnHelps() []widget.ColumnHelp { return v.table.ColumnHelps() }

// CompleteWord completes a policy's name.
func (v *planPage) CompleteWord(begin string) string { return v.table.CompleteWord(begin) }

// CountLines counts the policies.
func (v *planPage) CountLines() (shown, all int) { return v.table.CountLines() }

// endPlan stops a running plan, keeps the result of a stopped one after a question, and puts away a finished
// one.
func (v *planPage) endPlan(env *view.Env) {
	console, p, read := env.Console, v.state, env.Rev
	keep := func(env *view.Env, say string) {
		env.Run("ending the plan", func(context.Context) any {
			if err := console.KeepPlan(read); err != nil {
				return view.ToastAsk{Text: err.Error(), Bad: true}
			}
			return view.ToastAsk{Text: say}
		})
	}
	switch {
	case p == nil:
	case p.IsUnderWay():
		env.Run("stopping the plan", func(context.Context) any {
			console.StopPlan()
			return view.ToastAsk{Text: "stopping after this step"}
		})
	case p.State == revision.PlanDone:
		keep(env, "")
	default:
		env.AskDialog(&view.ConfirmDialog{Title: "Keep as is", YesText: "keep as is",
			Body: []string{fmt.Sprintf("The plan ends with %s. Policies keep their priorities, and the plan can no longer be continued or "+
				"rolled back.", stepsMade(p)),
				env.KeyHint(action.Undo) + " undoes the steps that are done."},
			Changed: func() string {
				if v.state.Equal(p) {
					return ""
				}
				return planStateNow(v.state)
			},
			Yes: func(env *view.Env) { keep(env, "kept as is: the plan has ended") }})
	}
}

// planStateNow describes the state of the plan that changed during a question.
func planStateNow(p *revision.PlanState) string {
	if p == nil {
		return "the plan has ended"
	}
	if by := p.RunBy(); by != "" {
		return "the plan is " + by
	}
	_, word, _ := told.DescribeState(p)
	return fmt.Sprintf("the plan is %s, with %s", word, stepsMade(p))
}

// stepsMade describes the progress of a plan: "4 of 9 steps done".
func stepsMade(p *revision.PlanState) string {
	n, of := p.StepsDoneAndTotal()
	what := words.Choose(p.RollingBack, "rolled back", "done")
	return fmt.Sprintf("%s of %s steps %s", words.Thousands(n), words.Thousands(of), what)
}
