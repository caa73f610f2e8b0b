package revision

import (
	"fmt"
	"slices"
	"time"

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
	// Done of Total steps are done: every zone shows them. A step that was made and is
	// not shown everywhere does not count.
	Total, Done int
	// State is one of PlanRunning, PlanWaiting, PlanStopped and PlanDone.
	State string
	// Back says that the plan is being rolled back, or was until it stopped: Done
	// goes down to 0.
	Back bool
	// Why says what it waits for or why it stopped, without times; Waiting has them.
	Why string
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
}

// PlanStep is one step of a plan.
type PlanStep struct {
	Policy   string
	From, To int32
	Note     string // what holds after it besides: "tied again at 40"
	State    string // StepDone, StepRunning, StepWaiting or StepToCome
}

// String is the step as people write it: "green-tenant 40 → 41".
func (s PlanStep) String() string { return fmt.Sprintf("%s %d → %d", s.Policy, s.From, s.To) }

// PlanWait is a zone that a step waits for.
type PlanWait struct {
	Zone string
	// Why is what keeps it, in a word or a few: "lost", "3 rows behind".
	Why   string
	Since time.Time
}

// PlanRunner is the process that runs a plan.
type PlanRunner struct {
	PID   int
	Host  string
	Since time.Time // when it began, or went on
	Here  bool      // it is this process
}

// Active says whether the plan is under way, here or elsewhere.
func (p *PlanState) Active() bool {
	return p != nil && (p.State == PlanRunning || p.State == PlanWaiting)
}

// Open says whether the plan is under way or stopped half way.
func (p *PlanState) Open() bool { return p.Active() || p != nil && p.State == PlanStopped }

// Elsewhere says whether another Rung runs the plan.
func (p *PlanState) Elsewhere() bool { return p.Active() && !p.Runner.Here }

// TakenBackBy says whether undo takes all of the plan back, where undo is the title of the
// change it is about: a later change may be in front of it.
func (p *PlanState) TakenBackBy(undo string) bool {
	return p.State == PlanDone && !p.Back && p.Title != "" && p.Title == undo
}

// RunBy says who runs a plan that this Rung does not: "run by another Rung (pid 4711,
// since 14:03:05)"; empty where nobody else does.
func (p *PlanState) RunBy() string {
	if !p.Elsewhere() {
		return ""
	}
	at := ""
	if p.Runner.Host != "" {
		at = " on " + p.Runner.Host
	}
	return fmt.Sprintf("run by another Rung (pid %d%s, since %s)", p.Runner.PID, at, p.Runner.Since.Local().Format(time.TimeOnly))
}

// Waiting says what the plan waits for at a time: "waiting for w2 (lost 12 s)". It is Why
// where no zone is waited for.
func (p *PlanState) Waiting(now time.Time) string {
	if len(p.Waits) == 0 || p.State == PlanDone {
		return p.Why
	}
	var zones []string
	for _, w := range p.Waits {
		zones = append(zones, fmt.Sprintf("%s (%s)", w.Zone, w.For(now)))
	}
	text := "waiting for " + words.Cut(zones, ", ", 3)
	if p.State == PlanStopped && p.Why != "" {
		return p.Why + "; " + text
	}
	return text
}

// For is why a zone is waited for, and how long: "lost 12 s".
func (w PlanWait) For(now time.Time) string {
	if w.Since.IsZero() {
		return w.Why
	}
	age := max(0, now.Sub(w.Since))
	switch {
	case age < time.Minute:
		return fmt.Sprintf("%s %d s", w.Why, int(age.Seconds()))
	case age < time.Hour:
		return fmt.Sprintf("%s %d min", w.Why, int(age.Minutes()))
	}
	return fmt.Sprintf("%s %d h", w.Why, int(age.Hours()))
}

// Made is how many steps stand: those that are done, and those that were made and wait for
// zones.
func (p *PlanState) Made() (n int) {
	for _, s := range p.Steps {
		if s.State == StepDone || s.State == StepWaiting {
			n++
		}
	}
	return n
}

// Same says whether two states of a plan tell the same.
func (p *PlanState) Same(o *PlanState) bool {
	if p == nil || o == nil {
		return p == o
	}
	return p.Title == o.Title && p.Total == o.Total && p.Done == o.Done && p.State == o.State && p.Back == o.Back &&
		p.Why == o.Why && p.Step == o.Step && p.Unrecorded == o.Unrecorded &&
		p.Runner.PID == o.Runner.PID && p.Runner.Host == o.Runner.Host && p.Runner.Here == o.Runner.Here &&
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
		return fmt.Sprintf("rolling back, %d of %d left", p.Done, p.Total)
	}
	return fmt.Sprintf("%d of %d done", p.Done, p.Total)
}
