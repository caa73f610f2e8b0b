package plan

import (
	"context"
	"fmt"
	"sync/atomic"

	"rung/model/plan"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/preview"
	"rung/ui/view"
	"rung/ui/widget"
)

// page is the view.
type page struct {
	table  *widget.Table[row]
	steps  *widget.Doc
	styles *themes.StyleSet

	board    *plan.Board
	boardErr error
	p        proposal
	onSteps  bool
	side     bool
	pre      *preview.View
	state    *revision.PlanState
	// away says that a plan that is done gave way to a proposal.
	away bool
	// other is the process of another Rung that runs the plan an open preview is about.
	other *atomic.Int64
	// under is the step of the plan that the list was last scrolled to.
	under string
}

// New makes the view.
func New(nav.Page) view.View {
	v := &page{steps: widget.NewDoc()}
	v.table = &widget.Table[row]{ID: func(r row) string { return r.name }, Empty: "there is no AdminNetworkPolicy",
		Text: func(r row) string { return r.name }}
	v.table.Columns = columns(func() *themes.StyleSet { return v.styles })
	return v
}

// FrontView is the preview of a plan.
func (v *page) FrontView() view.View {
	if v.pre == nil {
		return nil
	}
	return v.pre
}

// Sync works the proposal out on the ladder as it is.
func (v *page) Sync(env *view.Env) {
	v.styles, v.state = env.Styles, env.Rev.Plan
	if v.state == nil || v.state.IsOpen() {
		v.away = false
	}
	if v.other != nil && v.state.RunsElsewhere() {
		v.other.Store(int64(v.state.Runner.PID))
	}
	v.board, v.boardErr = plan.BoardOfCluster(env.Rev.Cluster, env.Rev.Ladder().Max, env.Rev.Flags.CompileCNP)
	if v.boardErr == nil {
		v.p.work(v.board)
		left, _ := v.widths(env.W)
		v.table.SetItems(rowsOf(v.board, v.then(), left))
	} else {
		v.p.plan, v.p.err = plan.Plan{}, v.boardErr
		v.table.SetItems(nil)
	}
	v.side = env.W >= sideBySide
	v.steps.SetLines(v.stepLines(env))
	v.follow()
	if v.pre != nil {
		v.pre.Sync(env)
	}
}

// ours is the plan on the page, nil while the proposal is.
func (v *page) ours() *revision.PlanState {
	if v.away {
		return nil
	}
	return v.state
}

// then is where the policies are going: by the plan on the page, else by what is
// proposed.
func (v *page) then() map[string]int32 {
	then := map[string]int32{}
	switch p := v.ours(); {
	case p != nil:
		for _, s := range p.Steps {
			then[s.Policy] = s.To
			if p.Back {
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

// follow keeps the step under way in sight while the cursor is not among the steps.
func (v *page) follow() {
	p := v.ours()
	if p == nil {
		v.under = ""
		return
	}
	at := 0
	for i, s := range p.Steps {
		at = i
		if s.State != revision.StepDone {
			break
		}
	}
	if id := stepID(at); id != v.under && !v.onSteps {
		v.under = id
		v.steps.Select(id)
	}
}

// neighbours are the policy under the cursor and the next one of another priority.
func (v *page) neighbours() (here, next string) {
	r, ok := v.table.Selected()
	if !ok || v.board == nil {
		return "", ""
	}
	for _, s := range v.board.Slots() {
		if s.Priority > r.now {
			return r.name, s.Policy
		}
	}
	return r.name, ""
}

// Do carries out the plan's actions.
func (v *page) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.PlanStep:
		v.askSpacing(env)
	case action.PlanInsert:
		v.insert(env)
	case action.PlanMove:
		if here, _ := v.neighbours(); here != "" {
			view.AskMove(env, anp(here))
		}
	case action.PlanNew:
		v.new(env)
	case action.PlanTemplate:
		v.template(env)
	case action.PlanRun:
		if p := v.ours(); p != nil && p.State == revision.PlanStopped {
			v.goOn(env)
		} else {
			v.run(env)
		}
	case action.PlanBack:
		v.back(env)
	case action.PlanStop:
		v.end(env)
	case action.PlanOpen:
		env.OpenPage(v.SelectedPage())
	case action.PlanExport:
		v.export(env)
	case action.Pane:
		v.onSteps = !v.onSteps
	default:
		if v.onSteps {
			return v.steps.Do(id)
		}
		return v.table.Do(id)
	}
	return true
}

// ReceiveResult takes what is the preview's.
func (v *page) ReceiveResult(env *view.Env, msg any) {
	if v.pre != nil {
		v.pre.ReceiveResult(env, msg)
	}
}

// WhyNot refuses what cannot be done now.
func (v *page) WhyNot(_ *view.Env, id action.ID) string {
	switch id {
	case action.PlanBack:
		return stuck(v.state)
	case action.PlanRun, action.PlanExport:
		switch p := v.ours(); {
		case p.IsOpen():
			return stuck(p) // what else stands against it, the table of actions knows
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

// OffersAction has the hints at the bottom be about what there is: a plan that is under way or
// stopped, whose first key stands above with its word, or the proposal of one.
func (v *page) OffersAction(_ *view.Env, id action.ID) bool {
	switch {
	case id == action.PlanBack || id == action.PlanStop:
		return v.state.IsOpen()
	case id == action.PlanRun || id == action.PlanStep || id == action.PlanInsert || id == action.PlanExport:
		return !v.state.IsOpen()
	}
	return true
}

// SelectedPage is the policy under the cursor.
func (v *page) SelectedPage() nav.Page {
	if r, ok := v.table.Selected(); ok {
		return nav.ToPolicy(anp(r.name))
	}
	return nav.Page{}
}

// PointTo puts the cursor on a policy.
func (v *page) PointTo(_ *view.Env, to nav.Page) bool { return v.table.Select(to.Key.Name) }

// Crumb names the page.
func (v *page) Crumb() string {
	if v.pre != nil {
		return "plan: preview"
	}
	return "plan"
}

// TellState says how much is free.
func (v *page) TellState(env *view.Env) widget.Line {
	if v.board == nil {
		return nil
	}
	return widget.Styled(fmt.Sprintf("%d of %d priorities free", v.board.FreeCount(), v.board.Max()+1), env.Styles.Dim)
}

// SetFilter and CountLines make it a Filterer.
func (v *page) SetFilter(f widget.Filter) { v.table.SetFilter(f) }

// CompleteWord finds how a policy's name goes on.
func (v *page) CompleteWord(begin string) string { return v.table.CompleteWord(begin) }

// CountLines are the policies.
func (v *page) CountLines() (shown, all int) { return v.table.CountLines() }

// end stops a plan that runs, and has a stopped one kept as it is after a question; one
// that is done is put away.
func (v *page) end(env *view.Env) {
	console, p, read := env.Console, v.state, env.Rev
	keep := func(env *view.Env, say string) {
		env.Run("ending the plan", func(ctx context.Context) any {
			if err := console.PlanKeep(ctx, read); err != nil {
				return view.ToastAsk{Text: err.Error(), Bad: true}
			}
			return view.ToastAsk{Text: say}
		})
	}
	switch {
	case p == nil:
	case p.IsUnderWay():
		env.Run("stopping the plan", func(context.Context) any {
			console.PlanStop()
			return view.ToastAsk{Text: "the plan stops after this step"}
		})
	case p.State == revision.PlanDone:
		keep(env, "")
	default:
		env.AskDialog(&view.ConfirmDialog{Title: "Keep as is", YesText: "keep as is",
			Body: []string{fmt.Sprintf("The plan ends here, with %s. The policies stay as they are, and it can no longer be continued or rolled back.", stepsMade(p)),
				env.Keys.ActionByID(action.Undo).HintKey() + " undoes the steps that are done."},
			Changed: func() string {
				if v.state.SaysSame(p) {
					return ""
				}
				return now(v.state)
			},
			Yes: func(env *view.Env) { keep(env, "kept as is: the plan is ended") }})
	}
}

// now says how the plan is that was asked about, when that is not what was read.
func now(p *revision.PlanState) string {
	if p == nil {
		return "the plan has ended"
	}
	if by := p.RunBy(); by != "" {
		return "the plan is " + by
	}
	return fmt.Sprintf("the plan is %s, with %s", p.State, stepsMade(p))
}

// stepsMade is how far a plan is, as part of a sentence: "4 of 9 steps done".
func stepsMade(p *revision.PlanState) string {
	n, of := p.StepsOfWay()
	what := "done"
	if p.Back {
		what = "rolled back"
	}
	return fmt.Sprintf("%d of %d steps %s", n, of, what)
}
