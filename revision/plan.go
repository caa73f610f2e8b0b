package revision

import (
	"fmt"
	"slices"
	"time"

	"rung/model"
	"rung/model/plan"
	"rung/model/words"
)

// The states of a plan.
const (
	PlanRunning = "running"
	// PlanWaiting is a plan under way whose next step has to wait for something that
	// may take long: a zone that is lost, say. It goes on by itself.
	PlanWaiting = "waiting"
	PlanStopped = "stopped"
	PlanDone    = "done"
)

// The states of a step of a plan.
const (
	StepDone    = "done"      // every zone's rows were read after the change and show it
	StepRunning = "under way" // it is being made, or the zones are about to show it
	StepWaiting = "waiting"   // it was made, and PlanState.Waits do not show it yet
	StepToCome  = "to come"
)

// PlanState is a plan that is under way, stopped or has just ended, run by this Rung or
// by another one on the same state folder. It does not change.
type PlanState struct {
	// Title says what it does: "Re-space: step 10, starting at 10".
	Title string
	// Done of Total steps are done: every zone of this Rung shows them. A step that was
	// made and is not shown everywhere does not count; the number for people is StepsMade.
	Total, Done int
	// State is one of PlanRunning, PlanWaiting, PlanStopped and PlanDone.
	State string
	// Back says that the plan is being rolled back, or was until it stopped: Done
	// goes down to 0.
	Back bool
	// Why says what it waits for or why it stopped, without times; WaitingText has them.
	Why string
	// Top is how many steps stood when the roll back began, 0 where nobody knows.
	Top int
	// Since is when it stopped, zero where it did not or nobody knows.
	Since time.Time
	// Step is the step under way or next: "green-tenant 40 → 41".
	Step string
	// Steps are all steps, in the order in which they are made.
	Steps []PlanStep
	// Waits are the zones that do not show the step that was made last, by name.
	Waits []PlanWait
	// Runner runs the plan; a zero PID: nobody does.
	Runner PlanRunner
	// Unrecorded says that the last step was made and could not be written down
	// (ErrNotRecorded), which Why tells.
	Unrecorded bool
	// Stuck says of a plan that stopped why it can be neither continued nor rolled back
	// as the policies stand, and the ways out: "metrics stands at 38, the plan expects 40:
	// move it back to 40, or end the plan as it is (x, --keep)". It is empty where it can.
	// Why says it too.
	Stuck string
}

// PlanStep is one step of a plan.
type PlanStep struct {
	Policy string `json:"policy"`
	From   int32  `json:"from"`
	To     int32  `json:"to"`
	Note   string `json:"note,omitempty"` // what holds after it besides: "tied again at 40"
	State  string `json:"state"`          // StepDone, StepRunning, StepWaiting or StepToCome
}

// String is the step as people write it: "green-tenant 40 → 41".
func (s PlanStep) String() string { return fmt.Sprintf("%s %d → %d", s.Policy, s.From, s.To) }

// PlanWait is a zone that a step waits for.
type PlanWait struct {
	Zone string
	// Why is the reason the zone is not done, in a word or a few: "lost", "3 rows behind".
	Why   string
	Since time.Time
}

// PlanRunner is the process that runs a plan.
type PlanRunner struct {
	PID   int
	Host  string
	Since time.Time // when it began, or went on
	IsOwn bool      // it is this process
}

// IsUnderWay says whether the plan is under way, here or elsewhere.
func (p *PlanState) IsUnderWay() bool {
	return p != nil && (p.State == PlanRunning || p.State == PlanWaiting)
}

// IsOpen says whether the plan is under way or stopped half way.
func (p *PlanState) IsOpen() bool { return p.IsUnderWay() || p != nil && p.State == PlanStopped }

// RunsElsewhere says whether another Rung runs the plan.
func (p *PlanState) RunsElsewhere() bool { return p.IsUnderWay() && !p.Runner.IsOwn }

// TakenBackBy says whether undo takes all of the plan back, where undo is the title of the
// change it is about: a later change may be in front of it.
func (p *PlanState) TakenBackBy(undo string) bool {
	return p.State == PlanDone && !p.Back && p.Title != "" && p.Title == undo
}

// RunBy says who runs a plan that this Rung does not: "run by another Rung (pid 4711,
// since 14:03:05)"; empty where nobody else does.
func (p *PlanState) RunBy() string {
	if !p.RunsElsewhere() {
		return ""
	}
	at := ""
	if p.Runner.Host != "" {
		at = " on " + p.Runner.Host
	}
	what := "run"
	if p.Back {
		what = "rolled back"
	}
	return fmt.Sprintf("%s by another Rung (pid %d%s, since %s)", what, p.Runner.PID, at, p.Runner.Since.Local().Format(time.TimeOnly))
}

// WaitingText says what the plan waits for at a time: "waiting for w2 (lost 12 s)", and of one that
// stopped what it waited for then: "waited for w2 (lost 12 s)". It is Why where no zone is waited
// for.
func (p *PlanState) WaitingText(now time.Time) string {
	if len(p.Waits) == 0 || p.State == PlanDone {
		return p.Why
	}
	doing := "waiting for "
	if p.State == PlanStopped {
		doing = "waited for "
		if !p.Since.IsZero() {
			now = p.Since
		}
	}
	var zones []string
	for _, w := range p.Waits {
		zones = append(zones, fmt.Sprintf("%s (%s)", w.Zone, w.ReasonText(now)))
	}
	text := doing + words.JoinAtMost(zones, ", ", 3)
	if p.State == PlanStopped && p.Why != "" {
		return p.Why + "; it " + text
	}
	return text
}

// ReasonText is why a zone is waited for, and how long: "lost 12 s".
func (w PlanWait) ReasonText(now time.Time) string {
	if w.Since.IsZero() || now.Before(w.Since) {
		return w.Why
	}
	return w.Why + " " + words.TimeLasted(now.Sub(w.Since))
}

// IsTargetReached says whether the policies stand where the plan was going.
func (p *PlanState) IsTargetReached(c *model.Cluster) bool {
	to := map[string]int32{}
	for _, s := range p.Steps {
		to[s.Policy] = s.To
	}
	for name, at := range to {
		o := c.Policy(plan.KeyOfName(name))
		if o == nil || o.Priority != at {
			return false
		}
	}
	return len(to) > 0
}

// StepsMade is how many steps stand, the same for whoever looks at the plan: those that are
// done, and those that were written and wait for zones. Each Rung may have zones of its own.
func (p *PlanState) StepsMade() int {
	done, waiting := 0, 0
	for _, s := range p.Steps {
		switch s.State {
		case StepDone:
			done++
		case StepWaiting:
			waiting++
		}
	}
	switch {
	case waiting == 0:
		return p.Done
	case p.Done > done: // they were rolled back
		return done
	}
	return p.Done + waiting
}

// StepsOfWay returns the steps that were made and their whole number: on the way back, the
// steps rolled back, of the steps that stood when it began.
func (p *PlanState) StepsOfWay() (n, of int) {
	if !p.Back {
		return p.StepsMade(), p.Total
	}
	of = max(p.Top, p.StepsMade())
	if p.Top == 0 {
		of = p.Total
	}
	return of - p.StepsMade(), of
}

// PlaceText is where the plan is: "4 of 9", on the way back "3 of 5 back".
func (p *PlanState) PlaceText() string {
	n, of := p.StepsOfWay()
	if p.Back {
		return fmt.Sprintf("%s of %s back", words.Thousands(n), words.Thousands(of))
	}
	if p.unseenStepsText() {
		return fmt.Sprintf("%s of %s, which not every zone shows yet", words.Thousands(n), words.Thousands(of))
	}
	return fmt.Sprintf("%s of %s", words.Thousands(n), words.Thousands(of))
}

// unseenStepsText says of a plan that stopped that all its steps were made: what it waited for are the
// zones.
func (p *PlanState) unseenStepsText() bool {
	return p.State == PlanStopped && !p.Back && p.StepsMade() == p.Total && p.Done < p.Total
}

// IsShownByZones says whether every zone has shown the last step: the plan has nothing left to do.
func (p *PlanState) IsShownByZones() bool { return p.Total > 0 && !p.Back && p.Done == p.Total }

// NextStep is the step that a stopped plan makes next when it is continued, as Step; empty
// where every step is made.
func (p *PlanState) NextStep() string {
	if p.Back {
		for _, s := range slices.Backward(p.Steps) {
			if s.State == StepDone {
				return PlanStep{Policy: s.Policy, From: s.To, To: s.From}.String()
			}
		}
		return ""
	}
	for _, s := range p.Steps {
		if s.State == StepToCome {
			return s.String()
		}
	}
	return ""
}

// SaysSame says whether two states of a plan tell the same.
func (p *PlanState) SaysSame(o *PlanState) bool {
	if p == nil || o == nil {
		return p == o
	}
	return p.Title == o.Title && p.Total == o.Total && p.Top == o.Top && p.Since.Equal(o.Since) && p.Done == o.Done && p.State == o.State && p.Back == o.Back &&
		p.Why == o.Why && p.Step == o.Step && p.Unrecorded == o.Unrecorded && p.Stuck == o.Stuck &&
		p.Runner.PID == o.Runner.PID && p.Runner.Host == o.Runner.Host && p.Runner.IsOwn == o.Runner.IsOwn &&
		p.Runner.Since.Equal(o.Runner.Since) && slices.Equal(p.Steps, o.Steps) &&
		slices.EqualFunc(p.Waits, o.Waits, func(a, b PlanWait) bool {
			return a.Zone == b.Zone && a.Why == b.Why && a.Since.Equal(b.Since)
		})
}

// String is how far the plan is, in a few words: "4 of 9 done".
func (p *PlanState) String() string {
	switch {
	case p.Back && p.State == PlanDone:
		return "rolled back"
	case p.Back:
		return "rolling back, " + p.PlaceText()
	case p.unseenStepsText():
		return fmt.Sprintf("%s of %s made, which not every zone shows yet", words.Thousands(p.Total), words.Thousands(p.Total))
	}
	return p.PlaceText() + " done"
}
