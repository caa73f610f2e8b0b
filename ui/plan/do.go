package plan

import (
	"context"
	"fmt"

	"rung/engine/gate"
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

// further is what is left of a plan that stopped, or its way back, as a change.
type further struct{ back bool }

func (f further) Work(ctx context.Context, c view.Console) (*gate.Preview, error) {
	if f.back {
		return c.PlanBackPreview(ctx)
	}
	return c.PlanResumePreview(ctx)
}

func (f further) Commit(ctx context.Context, c view.Console, p *gate.Preview, answer gate.Confirm) (*gate.Result, error) {
	if f.back {
		return nil, c.PlanBack(ctx, p, answer)
	}
	return nil, c.PlanResume(ctx, p, answer)
}

// ask previews going on or rolling back; yes starts it.
func (v *page) ask(env *view.Env, id action.ID) {
	if v.state == nil {
		return
	}
	back := id == action.PlanBack
	question, say := "Continue the plan, waiting for every zone after each step?", "the plan continues"
	if back {
		question, say = "Roll back, waiting for every zone after each step?", "rolling back"
	}
	v.pre = preview.Of(further{back}, preview.Options{
		Question: question,
		Cancel:   func(env *view.Env) { v.pre = nil; env.Say("nothing was changed") },
		Done: func(env *view.Env) {
			v.pre, v.onSteps = nil, false
			env.Say("%s", say)
		},
	})
	v.pre.Sync(env)
}
