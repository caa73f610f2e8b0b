package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/change/gate"
	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/plan"
	"rung/model/words"
	"rung/pages/difference"
	told "rung/pages/plan"
	"rung/revision"
)

type planFlags struct {
	step, start       int32
	hasStep, hasStart bool // whether --step, --start were given
	respace           bool // re-space, with the usual spacing unless given
	insert            string
}

func PlanCommand(a *command.App) *cobra.Command {
	var f planFlags
	var run, resume, back, keep bool
	var c changeFlags
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Arrange the priorities: free runs, room between two policies, re-space the ladder",
		Long: `Show the free priorities of the ladder, and the plan under way or stopped, step by
step. --step N re-spaces every policy, from --start, in steps that never reverse
two policies: at no step do two policies swap order or become newly tied.
--insert ABOVE,BELOW finds a free priority between two policies, each given by name
or priority; leave one out for the end of the ladder. Policies in tiers of a plugin's
own are given by name. Nothing changes without --run.
Each step waits until every zone shows the step before, so there must be zones: a
cluster's, or with -f Nodes for the sandbox.

In tiers with fractional priorities there is always room between two policies:
places are printed as TIER/PRIORITY, for rung move.

A plan that stopped half way (with --write-back also by the end of the program)
continues with --resume, is rolled back with --back, or ends with --keep, which
leaves the policies as they are. With --dry-run these show what they would do. A
completed plan is one change for rung undo.`,
		Args: command.TakesArgs(0),
		Example: `  rung plan -f examples/
  rung plan -f examples/ --insert allow-metrics,cluster-control
  rung plan -f examples/ --step 10 --run --write-back --confirm-name quarantine`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.hasStep, f.hasStart = cmd.Flags().Changed("step"), cmd.Flags().Changed("start")
			f.respace = f.hasStep || f.hasStart
			if f.respace && f.insert != "" {
				return errors.New("--insert and --step exclude each other")
			}
			switch ctx := cmd.Context(); {
			case resume, back, keep:
				return continuePlan(ctx, a, &c, resume, back)
			case run:
				f.respace = f.insert == ""
				return runPlan(ctx, a, &c, &f)
			default:
				return a.AnswerQuery(ctx, false, command.Query{Answer: func(_ context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer,
					error) {
					return planAnswer(a, e, r, &f)
				}})
			}
		},
	}
	cmd.Flags().Int32Var(&f.step, "step", 0, "`DISTANCE` between two rungs (default 10, or the largest possible)")
	cmd.Flags().Int32Var(&f.start, "start", 0, "`PRIORITY` of the first rung (default the step, if there is room)")
	cmd.Flags().StringVar(&f.insert, "insert", "", "find a priority between two policies, by name or priority: `ABOVE,BELOW`")
	cmd.Flags().BoolVar(&run, "run", false, "run the plan")
	cmd.Flags().BoolVar(&resume, "resume", false, "continue a plan that stopped")
	cmd.Flags().BoolVar(&back, "back", false, "roll back the steps of a plan that stopped")
	cmd.Flags().BoolVar(&keep, "keep", false, "end a plan that stopped; the policies stay as they are")
	cmd.MarkFlagsMutuallyExclusive("run", "resume", "back", "keep")
	c.register(cmd)
	return cmd
}

// planAnswer returns the answer of `rung plan`: the requested plan or place, or else the free priorities and
// the plan that runs or stopped.
func planAnswer(a *command.App, e *engine.Engine, r *revision.Revision, f *planFlags) (*command.Answer, error) {
	if r.System.Bands != nil {
		return tiersAnswer(r, f)
	}
	b, in, p, err := arrangePlan(a, r, f)
	omits := revision.OmissionsOfObjects(r)
	switch {
	case err != nil:
		return nil, err
	case in != nil:
		text := fmt.Sprintf("%d is free\n", in.Priority)
		if in.ShiftPlan != nil {
			text = fmt.Sprintf("no free priority between them; these steps make room for %d:\n\n%s", in.Priority, planText(in.ShiftPlan))
		}
		return &command.Answer{Value: in, Text: func(bool) string { return text }, NotConsidered: omits}, nil
	case p != nil:
		return &command.Answer{Value: p, Text: func(bool) string { return planText(p) }, NotConsidered: omits}, nil
	}
	text := fmt.Sprintf("%s\n%s\n%s, %s\n", command.TableText(told.Places, told.PlannedMoves(b, nil), false, 0), told.FreeText(b),
		told.CountText(b), told.GapForms(b)[0])
	st, err := e.ReadPlan()
	if err != nil {
		return nil, err
	}
	next := planNext
	if st == nil {
		// Showing the board does not depend on a kept plan that cannot run in this mode. Its errors are
		// reported where it can.
		st, _ = e.KeptPlan()
		next = "rung plan --write-back with --resume, --back or --keep"
	}
	if st != nil {
		text += "\n" + planStateText(st, e.Now(), next)
	}
	return &command.Answer{Value: told.FactsOfBoard(b, st), Text: func(bool) string { return text }, NotConsidered: omits}, nil
}

// arrangePlan works out what the flags ask for: the present board, the place for a new policy, and the plan.
// The plan is nil if none is needed.
func arrangePlan(a *command.App, r *revision.Revision, f *planFlags) (b *plan.Board, in *plan.Insertion, p *plan.Plan, err error) {
	above, below, both := strings.Cut(f.insert, ",")
	if f.insert != "" && !both {
		return nil, nil, nil, fmt.Errorf("--insert %q: want ABOVE,BELOW, two policies by name or priority", f.insert)
	}
	b, err = told.BoardOfRevision(r)
	switch {
	case err != nil:
	case f.insert != "":
		var place plan.Insertion
		if above, err = findPolicyAt(b, above); err == nil {
			below, err = findPolicyAt(b, below)
		}
		if err == nil {
			place, err = b.InsertBetween(above, below)
		}
		in, p = &place, place.ShiftPlan
	case f.respace:
		var spaced plan.Plan
		at := b.UsualSpacing() // the console's, for missing flags
		if f.hasStep {
			at = b.SpacingOfStep(f.step)
		}
		if f.hasStart {
			at.Start = f.start
		}
		spaced, err = b.Respace(at.Step, at.Start)
		p = &spaced
	}
	if err != nil {
		return nil, nil, nil, fmt.Errorf("plan: %w", err)
	}
	return b, in, p, nil
}

// findPolicyAt returns the policy that text means by name or priority.
func findPolicyAt(b *plan.Board, text string) (string, error) {
	text = strings.TrimSpace(text)
	at, err := strconv.ParseInt(text, 10, 32)
	if _, named := b.Priority(text); named || err != nil {
		return text, nil // a policy may be called 40
	}
	for _, s := range b.Placements() {
		if int64(s.Priority) == at {
			return s.Policy, nil
		}
	}
	return "", fmt.Errorf("--insert: no policy has priority %d: give the name or priority of a policy", at)
}

func planText(p *plan.Plan) string { return stepsText(p.Title, p.Steps, 1, p.Notes) }

// stepsText lists proposed steps below their title; first is the number of the first step.
func stepsText(title string, steps []plan.Step, first int, notes []string) string {
	text := title + "\n\n"
	if len(steps) > 0 {
		text += command.TableText(told.Steps, told.ProposedSteps(steps, first), false, 0)
	}
	for _, n := range notes {
		text += words.Noted + " " + n + "\n"
	}
	return text
}

// tierPlace is the JSON of `rung plan --insert` in a system with tiers.
type tierPlace struct {
	Tier     string  `json:"tier"`
	Priority float64 `json:"priority"`
}

// String returns the place as rung move takes it.
func (p tierPlace) String() string { return fmt.Sprintf("%s/%v", p.Tier, p.Priority) }

// errNoSpacing says why policies in tiers are not re-spaced.
var errNoSpacing = errors.New("plan: fractional priorities need no re-spacing; --insert ABOVE,BELOW finds a place for rung move")

// tiersAnswer answers `rung plan` in a system whose policies have fractional priorities in tiers.
func tiersAnswer(r *revision.Revision, f *planFlags) (*command.Answer, error) {
	if f.respace {
		return nil, errNoSpacing
	}
	bands, omits := revision.LadderBands(r), revision.OmissionsOfObjects(r)
	if f.insert == "" {
		const usual = 5 // for a tier without policies
		slots, _ := plan.PlacesInTiers(bands, model.Key{}, plan.TierPlace{Priority: usual})
		places := []tierPlace{}
		text := "free places, as rung move takes them:\n"
		for _, s := range slots {
			p := tierPlace(s)
			places = append(places, p)
			text += p.String() + "\n"
		}
		// Free places before, between and after the policies of each tier.
		return &command.Answer{Value: map[string]any{"places": places}, Text: func(bool) string { return text }, NotConsidered: omits}, nil
	}
	above, below, both := strings.Cut(f.insert, ",")
	if !both {
		return nil, fmt.Errorf("--insert %q: want ABOVE,BELOW, two policies by name", f.insert)
	}
	var ends [2]model.Key
	for i, name := range []string{above, below} {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		k, err := command.PolicyNamed(r, name)
		if err != nil {
			return nil, fmt.Errorf("--insert: %w", err)
		}
		ends[i] = k
	}
	slot, err := plan.InsertInTiers(bands, ends[0], ends[1])
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	p := tierPlace(slot)
	return &command.Answer{Value: p, Text: func(bool) string { return p.String() + " is free\n" }, NotConsidered: omits}, nil
}

// planStateText describes a running or stopped plan step by step, and what can be done about it.
func planStateText(st *revision.PlanState, now time.Time, next string) string {
	text := words.CleanLine(told.Headline(st, now)) + "\n\n" + command.TableText(told.Steps, told.ListSteps(st), false, 0)
	if st.State == revision.PlanStopped && st.Stuck == "" { // a stuck plan's reason says what to do
		text += "\n" + next + "\n"
	}
	return text
}

// planNext says what can be done about a stopped plan.
const planNext = "rung plan --resume continues, --back rolls back, --keep leaves the policies as they are"

// stepsOut is the JSON of a plan's remaining steps, which a yes makes.
type stepsOut struct {
	Title     string             `json:"title"`
	Outcome   string             `json:"outcome,omitempty"` // as in consequences.Facts
	Blocked   string             `json:"blocked,omitempty"`
	FirstStep int                `json:"first_step"`
	Steps     []plan.Step        `json:"steps"`
	Guards    []difference.Guard `json:"guards"`
	// Connections is the effect of all steps together, StepConnections the effect of each step.
	Connections     *difference.Effect   `json:"connections,omitempty"`
	StepConnections []*difference.Effect `json:"step_connections,omitempty"`
	ConfirmName     string               `json:"confirm_name,omitempty"`
	Notes           []string             `json:"notes"`
}

// stepsAnswer returns the preview of a plan: the steps that a yes makes.
func stepsAnswer(p *gate.Preview, outcome string) *command.Answer {
	all := difference.NewConsequences(p)
	out := stepsOut{Title: p.Title, Outcome: outcome, Blocked: p.Blocked, FirstStep: p.FirstStep, Steps: append([]plan.Step{}, p.Steps...),
		Guards:      all.Guards,
		Connections: all.Connections, StepConnections: model.MapList(p.StepEffects, difference.NewEffect),
		ConfirmName: p.ConfirmName, Notes: all.Notes}
	return &command.Answer{Value: out, NotConsidered: p.NotConsidered, Text: func(bool) string {
		notes := p.Notes
		if len(p.Steps) == 0 && p.Blocked == "" {
			notes = append([]string{"all steps are made; waiting for zones to show the last one"}, notes...)
		}
		return stepsText(p.Title, p.Steps, p.FirstStep, notes) + guardsText(p)
	}}
}
