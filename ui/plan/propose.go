package plan

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"rung/engine/statedir"
	"rung/model/plan"
	"rung/ui/view"
)

// proposal is what the page proposes to do: to re-space the ladder, or to make room for
// a policy.
type proposal struct {
	space plan.Spacing // step 0 takes the usual one
	// insert makes room between above and below; at is where the new policy goes then.
	insert       bool
	above, below string
	at           int32

	plan plan.Plan
	err  error
}

// work works the proposal out on the ladder as it is.
func (p *proposal) work(b *plan.Board) {
	p.plan, p.err = plan.Plan{}, nil
	if p.insert {
		in, err := b.Insert(p.above, p.below)
		if p.err = err; err == nil {
			p.at = in.Priority
			if in.Room != nil {
				p.plan = *in.Room
				return
			}
			p.plan = plan.Plan{Max: b.Max(), Now: b.Slots(), Then: b.Slots(), Notes: []string{fmt.Sprintf("%d is free", p.at)}}
		}
		return
	}
	if p.space.Step == 0 {
		p.space = b.Usual()
	}
	p.plan, p.err = b.Respace(p.space.Step, p.space.Start)
}

// title says what is proposed: it is the plan's, also where there is none.
func (p *proposal) title() string {
	if p.insert {
		return plan.Between(p.above, p.below)
	}
	return p.space.Title()
}

var errNumbers = errors.New("one or two numbers: the step, and where to start")

// number reads a distance or a priority.
func number(s string) (int32, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 0 || n > plan.LargestPriority {
		return 0, fmt.Errorf("%q is no number from 0 to %d", s, plan.LargestPriority)
	}
	return int32(n), nil
}

// export writes the policies that move, with their new priorities, to a file of
// its own.
func (v *page) export(env *view.Env) {
	console, p, dir, file := env.Console, v.p.plan, env.SavedDir(), "plan-"+env.Stamp()+".yaml"
	env.Run("writing the plan", func(ctx context.Context) any {
		pre, err := console.PlanPreview(ctx, &p)
		if err != nil {
			return view.ToastAsk{Text: "exporting the plan: " + err.Error(), Bad: true}
		}
		var texts []string
		for i, o := range pre.Objects {
			if o.New != nil {
				head := ""
				if i < len(p.Steps) {
					head = fmt.Sprintf("# step %d of %d: %s %d → %d\n", i+1, len(p.Steps), p.Steps[i].Policy, p.Steps[i].From, p.Steps[i].To)
				}
				texts = append(texts, head+strings.TrimSuffix(o.New.YAML, "\n")+"\n")
			}
		}
		if len(texts) == 0 {
			return view.ToastAsk{Text: "exporting the plan: there is nothing in it", Bad: true}
		}
		path, err := statedir.Keep(dir, file, []byte(strings.Join(texts, "---\n")))
		if err != nil {
			return view.ToastAsk{Text: "exporting the plan: " + err.Error(), Bad: true}
		}
		return view.ToastAsk{Text: fmt.Sprintf("%d policies, in the order of the steps, are in %s", len(texts), path)}
	})
}
