package plan

import (
	"context"
	"fmt"

	"rung/engine/gate"
	"rung/engine/revision"
	"rung/model/plan"
	"rung/model/words"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/preview"
	"rung/ui/view"
)

// askStep asks for step and start.
func (v *page) askStep(env *view.Env) {
	b := v.board
	if b == nil {
		return
	}
	label := "Step, and where to begin (step 10 from 10 is \"10 10\"):"
	if step, start := b.Widest(); step > 0 {
		label = fmt.Sprintf("Step, and where to begin. The widest that fits is \"%d %d\".", step, start)
	}
	env.Ask(&view.Prompt{Title: "re-space the ladder", Label: label, Value: fmt.Sprintf("%d %d", max(v.p.step, 1), v.p.start),
		Check: func(s string) string {
			step, start, err := parseStep(s)
			if err == nil {
				_, err = b.Respace(step, start)
			}
			if err != nil {
				return err.Error()
			}
			return ""
		},
		Done: func(env *view.Env, s string) {
			step, start, _ := parseStep(s) // checked above
			v.p = proposal{kind: respace, step: step, start: start}
			v.Sync(env)
		}})
}

// insert proposes room for a new policy below the cursor.
func (v *page) insert(env *view.Env) {
	here, next := v.under()
	if here == "" {
		env.Open(nav.ToNew(usual))
		return
	}
	p := proposal{kind: insert, above: here, below: next}
	p.work(v.board)
	switch {
	case p.err != nil:
		env.Fail("%v", p.err)
	case len(p.plan.Steps) > 0:
		v.p = p
		v.Sync(env)
		env.Say("%d is free after %s; %s runs them", p.at, words.Count(len(p.plan.Steps), "step"), env.Keys.Action(action.PlanRun).Shown())
	default:
		at := p.at
		env.Ask(&view.Confirm{Title: p.title(), Body: []string{fmt.Sprintf("%d is free: no policy has to move. Write a new policy there?", at)},
			YesText: "write it", Yes: func(env *view.Env) { env.Open(nav.ToNew(at)) }})
	}
}

// new writes a policy in the room that was made, or the first free priority
// below the cursor.
func (v *page) new(env *view.Env) {
	if v.p.kind == insert && v.p.err == nil && len(v.p.plan.Steps) == 0 {
		env.Open(nav.ToNew(v.p.at))
		return
	}
	r, ok := v.table.Selected()
	for _, g := range v.board.FreeRuns() {
		if !ok || g.To > r.now {
			at := g.From
			if ok {
				at = max(at, r.now+1)
			}
			env.Open(nav.ToNew(at))
			return
		}
	}
	env.Fail("no priority below the cursor is free: %s makes room", env.Keys.Action(action.PlanInsert).Shown())
}

// source is a plan as a change.
type source struct{ p *plan.Plan }

func (s source) Work(ctx context.Context, c view.Console) (*gate.Preview, error) {
	return c.PlanPreview(ctx, s.p)
}

func (s source) Commit(ctx context.Context, c view.Console, p *gate.Preview, answer gate.Confirm) (*gate.Result, error) {
	return nil, c.PlanStart(ctx, s.p, p, answer)
}

// run previews the whole plan; yes starts it.
func (v *page) run(env *view.Env) {
	p := v.p.plan
	v.pre = preview.Of(source{&p}, preview.Options{
		Question: fmt.Sprintf("Run %s, each when every zone shows the last?", words.Count(len(p.Steps), "step")),
		Cancel:   func(env *view.Env) { v.pre = nil; env.Say("nothing was changed") },
		Done: func(env *view.Env) {
			v.pre, v.running, v.onSteps = nil, &p, false
			env.Say("the plan runs; this page shows how far it is, and it goes on when you leave")
		},
	})
	v.pre.Sync(env)
}

// stopped says whether a plan stopped half way.
func (v *page) stopped() bool { return v.state != nil && v.state.State == gate.PlanStopped }

// end stops a plan that runs, and puts away one that does not: a question comes
// before steps are given up that were not done.
func (v *page) end(env *view.Env) {
	console, st := env.Console, v.state
	if st == nil {
		return
	}
	keep := func(env *view.Env) {
		v.running = nil
		env.Run("closing the plan", func(context.Context) any {
			return done{"plan closed; the policies stay as they are", console.PlanDismiss()}
		})
	}
	switch st.State {
	case gate.PlanDone:
		keep(env)
	case gate.PlanStopped:
		env.Ask(&view.Confirm{Title: "Keep as is", YesText: "keep as is",
			Body:    []string{fmt.Sprintf("The policies stay as they are now, with %d of %s done. The plan can then be neither continued nor rolled back.", st.Done, words.Count(st.Total, "step"))},
			Changed: v.unlike(st), Yes: keep})
	default:
		env.Run("stopping the plan", func(context.Context) any {
			console.PlanStop()
			return done{say: "the plan stops after the current step"}
		})
	}
}

// unlike says how the plan differs from what it was when something was asked.
func (v *page) unlike(st *revision.PlanState) func() string {
	return func() string {
		switch now := v.state; {
		case now == nil:
			return "there is no plan any more"
		case now.State != st.State || now.Done != st.Done || now.Total != st.Total || now.Step != st.Step:
			return fmt.Sprintf("the plan is %s, with %d of %d steps done", now.State, now.Done, now.Total)
		}
		return ""
	}
}

// ask has continuing and rolling back confirmed.
func (v *page) ask(env *view.Env, back bool) {
	st, read := v.state, env.Rev
	if st == nil {
		return
	}
	c := &view.Confirm{Title: "go on with the plan", Body: []string{fmt.Sprintf("%s left, next: %s. Each starts when every zone shows the last.", words.Count(st.Total-st.Done, "step"), st.Step)}, YesText: "go on"}
	if back {
		c.Title, c.YesText = "take the plan back", "take it back"
		c.Body = []string{fmt.Sprintf("%s taken back, the last one first. Each starts when every zone shows the last.", are(st.Done))}
	}
	c.Changed = v.unlike(st)
	c.Yes = func(env *view.Env) {
		console := env.Console
		env.Run("starting the plan", func(ctx context.Context) any {
			if back {
				return done{"the plan goes back", console.PlanBack(ctx, read)}
			}
			return done{"the plan goes on", console.PlanResume(ctx, read)}
		})
	}
	env.Ask(c)
}

func are(n int) string {
	return words.Count(n, "step") + words.Form(n, " is", " are")
}
