package plan

import (
	"context"
	"fmt"
	"strings"

	"rung/engine/statedir"
	"rung/ui/view"
)

// export writes the policies that move, with their new priorities, to a file of
// its own.
func (v *page) export(env *view.Env) {
	console, p, dir, file := env.Console, v.p.plan, env.SavedDir(), "plan-"+env.Stamp()+".yaml"
	env.Run("writing the plan", func(ctx context.Context) any {
		pre, err := console.PlanPreview(ctx, &p)
		if err != nil {
			return done{err: fmt.Errorf("exporting the plan: %w", err)}
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
			return done{err: fmt.Errorf("exporting the plan: there is nothing in it")}
		}
		path, err := statedir.Keep(dir, file, []byte(strings.Join(texts, "---\n")))
		if err != nil {
			return done{err: fmt.Errorf("exporting the plan: %w", err)}
		}
		return done{say: fmt.Sprintf("%d policies, in the order of the steps, are in %s", len(texts), path)}
	})
}
