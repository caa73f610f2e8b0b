package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/engine/revision"
	"rung/model/ladder"
	"rung/model/plan"
)

// planFlags say what to plan.
type planFlags struct {
	step, start int32
	respace     bool // --step or --start was given
	insert      string
}

func (a *app) planCmd() *cobra.Command {
	var f planFlags
	var run, resume, back, dismiss bool
	var c changeFlags
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Arrange the priorities: free runs, room between two policies, re-space the ladder",
		Long: `Plan shows what is free on the ladder. --step N re-spaces every policy, from
--start, as an ordered list of changes of which no prefix inverts two policies or
ties two that were apart. --insert ABOVE,BELOW finds a free priority between two
policies, either of which may be left out for the end of the ladder. Nothing is
changed unless --run is given; the next change then starts only when every zone's
rows show the last. A plan that stopped half way (with --write-back also by the
end of the program) goes on with --resume, is taken back with --back, or is
forgotten with --dismiss.`,
		Args: takes(0),
		Example: `  rung plan -f policies/
  rung plan -f policies/ --insert cluster-control,allow-metrics
  rung plan -f policies/ --step 10 --run --write-back`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.respace = cmd.Flags().Changed("step") || cmd.Flags().Changed("start")
			if f.respace && f.insert != "" {
				return errors.New("--insert and --step exclude each other")
			}
			switch ctx := cmd.Context(); {
			case resume, back, dismiss:
				return a.continuePlan(ctx, &c, resume, back)
			case run && f.insert == "":
				f.respace = true
				return a.runPlan(ctx, &c, &f)
			case run:
				return a.runPlan(ctx, &c, &f)
			default:
				return a.show(ctx, false, query{answer: func(_ *engine.Engine, r *revision.Revision) (*answer, error) {
					return a.planAnswer(r, &f)
				}})
			}
		},
	}
	cmd.Flags().Int32Var(&f.step, "step", 10, "distance between two rungs")
	cmd.Flags().Int32Var(&f.start, "start", 10, "priority of the first rung")
	cmd.Flags().StringVar(&f.insert, "insert", "", "find a priority between two policies: ABOVE,BELOW")
	cmd.Flags().BoolVar(&run, "run", false, "carry the plan out")
	cmd.Flags().BoolVar(&resume, "resume", false, "go on with a plan that stopped")
	cmd.Flags().BoolVar(&back, "back", false, "take the steps of a plan that stopped back")
	cmd.Flags().BoolVar(&dismiss, "dismiss", false, "forget a plan that stopped; the policies stay where they are")
	cmd.MarkFlagsMutuallyExclusive("run", "resume", "back", "dismiss")
	c.register(cmd)
	return cmd
}

// planAnswer is what is free, or the plan that was asked for.
func (a *app) planAnswer(r *revision.Revision, f *planFlags) (*answer, error) {
	b, in, p, err := a.arrange(r, f)
	switch {
	case err != nil:
		return nil, err
	case in != nil:
		return &answer{value: insertOut{Priority: in.Priority, Room: in.Room}, text: func(bool) string { return insertText(in) }}, nil
	case p != nil:
		return planView(p), nil
	}
	return &answer{value: describeBoard(b), text: func(bool) string { return boardText(b) }}, nil
}

// arrange works out what was asked for: the board as it is, the place for a new
// policy, and the plan, which is nil where none is needed.
func (a *app) arrange(r *revision.Revision, f *planFlags) (b *plan.Board, in *plan.Insertion, p *plan.Plan, err error) {
	above, below, both := strings.Cut(f.insert, ",")
	if f.insert != "" && !both {
		return nil, nil, nil, fmt.Errorf("--insert %q: want ABOVE,BELOW", f.insert)
	}
	b, err = plan.FromCluster(r.Cluster, a.flags.ovn.MaxPriority)
	switch {
	case err != nil:
	case f.insert != "":
		var place plan.Insertion
		place, err = b.Insert(strings.TrimSpace(above), strings.TrimSpace(below))
		in, p = &place, place.Room
	case f.respace:
		var spaced plan.Plan
		spaced, err = b.Respace(f.step, f.start)
		p = &spaced
	}
	if err != nil {
		return nil, nil, nil, fmt.Errorf("plan: %w", err)
	}
	return b, in, p, nil
}

func planView(p *plan.Plan) *answer {
	return &answer{value: p, text: func(bool) string { return planText(p) }}
}

type boardOut struct {
	Slots    []plan.Slot `json:"policies"`
	Free     []gapOut    `json:"free"`
	Smallest *int        `json:"smallest_gap,omitempty"`
	Largest  int         `json:"largest_gap"`
}

// insertOut is a place for a new policy; room is the plan that frees it first,
// null when it is free.
type insertOut struct {
	Priority int32      `json:"priority"`
	Room     *plan.Plan `json:"room"`
}

func describeBoard(b *plan.Board) boardOut {
	out := boardOut{Slots: append([]plan.Slot{}, b.Slots()...), Largest: b.LargestGap(),
		Free: each(b.FreeRuns(), func(g ladder.Gap) gapOut { return gapOut(g) })}
	if n, ok := b.SmallestGap(); ok {
		out.Smallest = &n
	}
	return out
}

func boardText(b *plan.Board) string {
	t := &tableOut{head: []string{"PRIO", "POLICY"}}
	for _, s := range b.Slots() {
		t.add(fmt.Sprint(s.Priority), s.Policy)
	}
	out := t.String() + "\nfree"
	for _, g := range b.FreeRuns() {
		out += "  " + gapRange(g)
	}
	out += fmt.Sprintf("\n%d of %d priorities free, largest gap %d", b.Free(), b.Max()+1, b.LargestGap())
	if n, ok := b.SmallestGap(); ok {
		out += fmt.Sprintf(", smallest %d", n)
	}
	return out + "\n"
}

func planText(p *plan.Plan) string {
	if len(p.Steps) == 0 {
		return "nothing to do: the ladder is spaced like that already\n"
	}
	t := &tableOut{head: []string{"STEP", "POLICY", "FROM", "TO", "NOTE"}}
	for i, s := range p.Steps {
		t.add(fmt.Sprint(i+1), s.Policy, fmt.Sprint(s.From), fmt.Sprint(s.To), s.Note)
	}
	out := t.String()
	for _, n := range p.Notes {
		out += "▲ " + n + "\n"
	}
	return out
}

func insertText(in *plan.Insertion) string {
	if in.Room == nil {
		return fmt.Sprintf("%d is free\n", in.Priority)
	}
	return fmt.Sprintf("no priority is free between them; these steps make room for %d:\n\n%s", in.Priority, planText(in.Room))
}
