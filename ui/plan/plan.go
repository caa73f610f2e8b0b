package plan

import (
	"context"
	"fmt"

	"rung/engine/gate"
	"rung/engine/revision"
	"rung/model/plan"
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
	styles *themes.Styles

	board    *plan.Board
	boardErr error
	p        proposal
	running  *plan.Plan // the plan that was started here
	onSteps  bool
	side     bool
	pre      *preview.View
	state    *revision.PlanState
}

// New makes the view.
func New(nav.Page) view.View {
	v := &page{steps: widget.NewDoc()}
	v.table = &widget.Table[row]{ID: func(r row) string { return r.name }, Empty: "there is no AdminNetworkPolicy",
		Text: func(r row) string { return r.name }}
	v.table.Columns = columns(func() *themes.Styles { return v.styles })
	return v
}

// Messages of work done elsewhere.
type (
	done struct {
		say string
		err error
	}
)

// Scopes are the keys of the plan, or of its preview.
func (v *page) Scopes() []action.Scope {
	if v.pre != nil {
		return v.pre.Scopes()
	}
	return []action.Scope{action.Of(nav.Plan), action.List, action.Global}
}

// Sync works the proposal out on the ladder as it is.
func (v *page) Sync(env *view.Env) {
	v.styles, v.state = env.Styles, env.Rev.Plan
	v.board, v.boardErr = plan.FromCluster(env.Rev.Cluster, env.Rev.Ladder().Max)
	if v.boardErr == nil {
		v.p.work(v.board)
		v.table.SetItems(rowsOf(v.board, v.then()))
	}
	v.side = env.W >= 76
	v.steps.SetLines(v.stepLines(env))
	if v.pre != nil {
		v.pre.Sync(env)
	}
}

// then is what the ladder is on its way to: the plan under way, or what is
// proposed.
func (v *page) then() *proposal {
	p, _, known := v.shown()
	switch {
	case !known:
		return &proposal{}
	case p == v.running:
		return &proposal{plan: *p}
	}
	return &v.p
}

// under is the policy under the cursor and the next one of another priority.
func (v *page) under() (here, next string) {
	r, ok := v.table.Selected()
	if !ok {
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
	if v.pre != nil {
		return v.pre.Do(env, id)
	}
	switch id {
	case action.PlanStep:
		v.askStep(env)
	case action.PlanInsert:
		v.insert(env)
	case action.PlanMove:
		if here, _ := v.under(); here != "" {
			view.AskMove(env, anp(here))
		}
	case action.PlanNew:
		v.new(env)
	case action.PlanRun:
		v.run(env)
	case action.PlanOpen:
		env.Open(v.Selected())
	case action.PlanExport:
		v.export(env)
	case action.PlanStop:
		console := env.Console
		env.Run("stopping the plan", func(context.Context) any {
			console.PlanStop()
			return done{say: "the plan stops after the step under way"}
		})
	case action.PlanOn, action.PlanBack:
		v.ask(env, id)
	case action.PlanForget:
		console, read := env.Console, env.Rev
		v.running = nil
		env.Run("ending the plan", func(ctx context.Context) any {
			return done{"the plan is ended; the policies stay as they are", console.PlanKeep(ctx, read)}
		})
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

// Receive says how things went.
func (v *page) Receive(env *view.Env, msg any) {
	m, ok := msg.(done)
	switch {
	case !ok && v.pre != nil:
		v.pre.Receive(env, msg)
	case !ok:
	case m.err != nil:
		env.Fail("%v", m.err)
	default:
		env.Say("%s", m.say)
	}
}

// WhyNot refuses what cannot be done now.
func (v *page) WhyNot(env *view.Env, id action.ID) string {
	if v.pre != nil {
		return v.pre.WhyNot(env, id)
	}
	switch id {
	case action.PlanRun:
		switch st := env.Rev.Plan; {
		case st != nil && st.State == gate.PlanStopped:
			return "a plan stopped half way: go on with it, take it back or leave it"
		case st != nil && st.State != gate.PlanDone:
			return "a plan is running"
		}
		fallthrough
	case action.PlanExport:
		switch {
		case v.p.err != nil:
			return v.p.err.Error()
		case len(v.p.plan.Steps) == 0:
			return "there is nothing to do: no policy has to move"
		}
	case action.PlanInsert, action.PlanNew:
		if v.board == nil || v.board.Free() == 0 {
			return "every priority is taken"
		}
	}
	return ""
}

// Selected is the policy under the cursor.
func (v *page) Selected() nav.Page {
	if v.pre != nil {
		return v.pre.Selected()
	}
	if r, ok := v.table.Selected(); ok {
		return nav.ToPolicy(anp(r.name))
	}
	return nav.Page{}
}

// Point puts the cursor on a policy.
func (v *page) Point(_ *view.Env, to nav.Page) bool { return v.table.Select(to.Key.Name) }

// Leave asks the preview.
func (v *page) Leave(env *view.Env) bool { return v.pre == nil || v.pre.Leave(env) }

// Crumb names the page.
func (v *page) Crumb() string {
	if v.pre != nil {
		return "plan: preview"
	}
	return "plan"
}

// Copies are those of the preview.
func (v *page) Copies(env *view.Env) []view.Copy {
	if v.pre != nil {
		return v.pre.Copies(env)
	}
	return nil
}

// Tell says how much is free.
func (v *page) Tell(env *view.Env) widget.Line {
	switch {
	case v.pre != nil:
		return v.pre.Tell(env)
	case v.board == nil:
		return nil
	}
	return widget.Styled(fmt.Sprintf("%d policies · %d of %d slots free", len(v.board.Slots()), v.board.Free(), v.board.Max()+1), env.Styles.Dim)
}

// SetFilter and Counts make it a Filterer.
func (v *page) SetFilter(f widget.Filter) { v.table.SetFilter(f) }

// Complete finds how a policy's name goes on.
func (v *page) Complete(begin string) string { return v.table.Complete(begin) }

// Counts are the policies.
func (v *page) Counts() (shown, all int) { return v.table.Counts() }
