package plan

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"rung/engine/statedir"
	"rung/model"
	"rung/model/plan"
	"rung/model/signs"
	"rung/model/words"
	"rung/pages/page"
	"rung/themes"
	"rung/ui/view"
	"rung/ui/widget"
)

// policyRow is one policy, where it stands and where it would.
type policyRow struct {
	name                      string
	priorityNow, priorityThen int32
	shareMark                 string // the bracket of policies that share a priority
	note                      string // what to know besides: "= 4 share 40"
	room                      int    // cells for name and note
	max                       int32
	// roomNow and roomThen are what is free below it, see plan.Board.RoomBelow.
	roomNow, roomThen string
}

// rowsOf puts every policy of the board beside its place in a plan, in a table of so
// many cells.
func rowsOf(b *plan.Board, then map[string]int32, w int) []policyRow {
	slots := b.Slots()
	rows := make([]policyRow, len(slots))
	for i, s := range slots {
		r := policyRow{name: s.Policy, priorityNow: s.Priority, priorityThen: s.Priority, shareMark: "─", room: max(8, w-fixed), max: b.Max()}
		if t, ok := then[s.Policy]; ok {
			r.priorityThen = t
		}
		first := i == 0 || slots[i-1].Priority != s.Priority
		last := i == len(slots)-1 || slots[i+1].Priority != s.Priority
		switch {
		case s.Priority > b.Max():
			r.shareMark = signs.No
		case first && last:
		case first:
			r.shareMark = "┌"
		case last:
			r.shareMark = "└"
		default:
			r.shareMark = "├"
		}
		rows[i] = r
	}
	count := map[int32]int{}
	for _, r := range rows {
		count[r.priorityNow]++
	}
	will := b.WithMoved(then)
	for i := range rows {
		r := &rows[i]
		r.note = rowNote(r, count[r.priorityNow])
		r.roomNow, r.roomThen = b.RoomBelow(r.name), will.RoomBelow(r.name)
	}
	return rows
}

// fixed are the cells of a row that are not its name: the cursor, both priorities and
// the bracket, with the space between.
const fixed = 2 + 4 + 1 + 4 + 1 + 2

// rowNote returns the remark beside the name of a row, in the longest form for which there
// is room: the policy is not enforced, or shares its priority.
func rowNote(r *policyRow, shared int) string {
	var forms []string
	switch {
	case r.priorityNow > r.max:
		forms = []string{fmt.Sprintf("not enforced: above %d", r.max), fmt.Sprintf("above %d", r.max)}
	case shared > 1 && r.shareMark == "┌":
		n := "= " + words.Thousands(shared)
		forms = []string{fmt.Sprintf("%s share %d", n, r.priorityNow), fmt.Sprintf("%s at %d", n, r.priorityNow), n}
	}
	for _, f := range forms {
		if widget.TextWidth(r.name)+2+widget.TextWidth(f) <= r.room {
			return f
		}
	}
	return ""
}

// planColumns are NOW, PLAN and what belongs to them. The last gives way before a name is
// cut.
func planColumns(st func() *themes.StyleSet) []widget.TableColumn[policyRow] {
	return []widget.TableColumn[policyRow]{
		{Title: "NOW", Help: "the priority it has", Right: true, Min: 4, NoSort: true, Cell: func(r policyRow) widget.Line { return widget.PlainLine(fmt.Sprint(r.priorityNow)) }},
		{Title: "PLAN", Help: "the priority it gets", Right: true, Min: 4, NoSort: true, Cell: func(r policyRow) widget.Line {
			if r.priorityThen == r.priorityNow {
				return widget.StyledLine(fmt.Sprint(r.priorityThen), st().Dim)
			}
			return widget.StyledLine(fmt.Sprint(r.priorityThen), st().Title)
		}},
		{Title: "POLICY", Help: page.ColumnHelp("policy"), Name: true, Min: 12, NoSort: true, Cell: func(r policyRow) widget.Line {
			l := widget.Line{{Text: r.shareMark + " ", Style: st().Dim}, {Text: r.name, Style: st().Accent}}
			if r.note != "" {
				l = l.Add("  "+r.note, st().Warn)
			}
			return l
		}},
		{Title: "FREE BELOW", Help: "free priorities between it and the next", Drop: 2, Min: 8, NoSort: true, Cell: func(r policyRow) widget.Line {
			switch {
			case r.roomNow == r.roomThen && r.roomNow == plan.Tie:
				return nil // the bracket says it
			case r.roomNow == r.roomThen:
				return widget.StyledLine(r.roomNow, st().Dim)
			}
			return widget.Line{{Text: r.roomNow + " → ", Style: st().Dim}, {Text: r.roomThen}}
		}},
	}
}

// gapForms says how much room there is at least and at most, now and as planned, in forms
// that get shorter.
func gapForms(b *plan.Board, p *planProposal) []string {
	then, err := plan.NewBoard(p.plan.Then, b.Max())
	if err != nil || p.err != nil {
		then = b
	}
	one := func(b *plan.Board) (string, string) {
		small := "–"
		if n, ok := b.SmallestGap(); ok {
			small = fmt.Sprint(n)
		}
		return small, fmt.Sprint(b.LargestGap())
	}
	s, l := one(b)
	ts, tl := one(then)
	smallest := fmt.Sprintf("smallest gap %s → %s", s, ts)
	return []string{smallest + fmt.Sprintf(" · largest %s → %s", l, tl), smallest}
}

func adminPolicyKey(name string) model.PolicyKey { return plan.KeyOfName(name) }

// planProposal is the plan that the page proposes: to re-space the ladder, or to make room for
// a policy.
type planProposal struct {
	space plan.Spacing // step 0 takes the usual one
	// insert makes room between above and below; at is where the new policy goes then.
	insert                   bool
	policyAbove, policyBelow string
	newPriority              int32

	plan plan.Plan
	err  error
}

// workOut works the proposal out on the ladder as it is.
func (p *planProposal) workOut(b *plan.Board) {
	p.plan, p.err = plan.Plan{}, nil
	if p.insert {
		in, err := b.InsertBetween(p.policyAbove, p.policyBelow)
		p.err = err
		if err == nil {
			p.newPriority = in.Priority
			if in.Room != nil {
				p.plan = *in.Room
				return
			}
			p.plan = plan.Plan{Max: b.Max(), Now: b.Slots(), Then: b.Slots(), Notes: []string{fmt.Sprintf("%d is free", p.newPriority)}}
		}
		return
	}
	if p.space.Step == 0 {
		p.space = b.UsualSpacing()
	}
	p.plan, p.err = b.Respace(p.space.Step, p.space.Start)
}

// proposalTitle says what is proposed: it is the plan's, also where there is none.
func (p *planProposal) proposalTitle() string {
	if p.insert {
		return plan.RoomTitle(p.policyAbove, p.policyBelow)
	}
	return p.space.Title()
}

var errNumbers = errors.New("one or two numbers: the step, and where to start")

// parseNumber reads a distance or a priority.
func parseNumber(s string) (int32, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 0 || n > plan.LargestPriority {
		return 0, fmt.Errorf("%q is no number from 0 to %d", s, plan.LargestPriority)
	}
	return int32(n), nil
}

// exportFiles writes the policies that move, with their new priorities, to a file of
// its own.
func (v *planPage) exportFiles(env *view.Env) {
	console, p, dir, file := env.Console, v.p.plan, env.SavedDir(), "plan-"+env.FileStamp()+".yaml"
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
					head = fmt.Sprintf("# step %d of %s: %s %d → %d\n", i+1, words.Thousands(len(p.Steps)), p.Steps[i].Policy, p.Steps[i].From, p.Steps[i].To)
				}
				texts = append(texts, head+strings.TrimSuffix(o.New.YAML, "\n")+"\n")
			}
		}
		if len(texts) == 0 {
			return view.ToastAsk{Text: "exporting the plan: there is nothing in it", Bad: true}
		}
		path, err := statedir.KeepFile(dir, file, []byte(strings.Join(texts, "---\n")))
		if err != nil {
			return view.ToastAsk{Text: "exporting the plan: " + err.Error(), Bad: true}
		}
		return view.ToastAsk{Text: fmt.Sprintf("%s policies, in the order of the steps, are in %s", words.Thousands(len(texts)), path)}
	})
}
