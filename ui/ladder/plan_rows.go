package ladder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/change"
	"rung/engine/statedir"
	"rung/model/plan"
	"rung/model/words"
	told "rung/pages/plan"
	"rung/ui/view"
	"rung/ui/widget"
)

// fixed is the width of a row without its name: cursor, both priorities, bracket, spaces.
const fixed = 2 + 4 + 1 + 4 + 1 + 2

// placesTable lists the places of policies, with a bracket around equal priorities and as many notes as fit.
func (v *planPage) placesTable() *widget.Table[*told.PolicyMove] {
	t := widget.PageTable(told.Places, &v.styles)
	t.Text = func(p *told.PolicyMove) string { return p.Policy }
	name := func(p *told.PolicyMove, note string) widget.Line {
		return widget.JoinLines(widget.StyledLine(p.Bracket+" ", v.styles.Dim), widget.CellLine(p.NameCell(note), v.styles))
	}
	c := &t.Columns[slices.IndexFunc(t.Columns, func(c widget.TableColumn[*told.PolicyMove]) bool { return c.Name })]
	c.Cell = func(p *told.PolicyMove) widget.Line { return name(p, p.Notes[0]) }
	c.Fit = func(p *told.PolicyMove, w int) (l widget.Line) {
		for _, note := range p.Notes {
			l = name(p, note)
			if l.LineWidth() <= w {
				return l
			}
		}
		return l.CutName(w)
	}
	return t
}

// planProposal is the proposed plan: re-space the ladder, or make room for a policy.
type planProposal struct {
	space plan.Spacing // step 0 means the usual one
	// insert makes room between policyAbove and policyBelow, for a new policy at newPriority.
	insert                   bool
	policyAbove, policyBelow string
	newPriority              int32

	plan plan.Plan
	err  error
}

// workOut computes the proposal for the present ladder.
func (p *planProposal) workOut(b *plan.Board) {
	p.plan, p.err = plan.Plan{}, nil
	if p.insert {
		in, err := b.InsertBetween(p.policyAbove, p.policyBelow)
		p.newPriority, p.err = in.Priority, err
		if in.ShiftPlan != nil {
			p.plan = *in.ShiftPlan
		}
		return
	}
	if p.space.Step == 0 {
		p.space = b.UsualSpacing()
	}
	p.plan, p.err = b.Respace(p.space.Step, p.space.Start)
}

// proposalTitle names the proposal, also if it has no steps.
func (p *planProposal) proposalTitle() string {
	if p.insert {
		return plan.FreeRunTitle(p.policyAbove, p.policyBelow)
	}
	return p.space.Title()
}

var errNumbers = errors.New("one or two numbers: step and start")

// parseNumber parses a distance or a priority.
func parseNumber(s string) (int32, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 0 || n > plan.LargestPriority {
		return 0, fmt.Errorf("must be 0–%d", plan.LargestPriority)
	}
	return int32(n), nil
}

// exportFiles writes the moved policies, with their new priorities, to a new file.
func (v *planPage) exportFiles(env *view.Env) {
	console, p, dir, file := env.Console, v.p.plan, env.SavedDir(), "plan-"+env.FileStamp()+".yaml"
	env.Run("writing the plan", func(ctx context.Context) any {
		pre, err := console.Preview(ctx, change.RunPlan(&p))
		if err != nil {
			return view.ToastAsk{Text: "exporting the plan: " + err.Error(), Bad: true}
		}
		var texts []string
		for i, o := range pre.Objects {
			if o.New != nil {
				head := ""
				if i < len(p.Steps) {
					head = fmt.Sprintf("# step %d of %s: %s %d → %d\n", i+1, words.Thousands(len(p.Steps)), p.Steps[i].Policy, p.Steps[i].From,
						p.Steps[i].To)
				}
				texts = append(texts, head+strings.TrimSuffix(o.New.YAML, "\n")+"\n")
			}
		}
		if len(texts) == 0 {
			return view.ToastAsk{Text: "exporting the plan: no policy moves", Bad: true}
		}
		path, err := statedir.KeepFile(dir, file, []byte(strings.Join(texts, "---\n")))
		if err != nil {
			return view.ToastAsk{Text: "exporting the plan: " + err.Error(), Bad: true}
		}
		return view.ToastAsk{Text: fmt.Sprintf("%s policies, in the order of the steps, are in %s", words.Thousands(len(texts)), path)}
	})
}
