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
	PlanWaiting = "waiting" // the next step waits, for example for a lost zone; the plan goes on by itself
	PlanStopped = "stopped"
	PlanDone    = "done"
)

// The states of a step of a plan.
const (
	StepDone    = "done"      // every zone was read after the change and shows it
	StepRunning = "under way" // being made, or zones are about to show it
	StepWaiting = "waiting"   // made, but PlanState.Waits do not show it yet
	StepPending = "to come"
)

// PlanState is a plan that is running, stopped or just ended, run by this Rung or another on the same state
// folder. It is immutable.
type PlanState struct {
	Title string // "Re-space: step 10, starting at 10"
	// Done steps of Total are shown by every zone of this Rung. StepsMade returns the number to show.
	Total, Done     int
	State           string     // PlanRunning, PlanWaiting, PlanStopped or PlanDone
	RollingBack     bool       // being rolled back, or was until it stopped: Done counts down to 0
	Why             string     // what it waits for or why it stopped, without times: see WaitingText
	StepsAtRollback int        // steps made when the rollback began, 0 if unknown
	Since           time.Time  // when it stopped, zero if not stopped or unknown
	Step            string     // the running or next step: "green-tenant 40 → 41"
	Steps           []PlanStep // in order
	Waits           []PlanWait // the zones that do not show the step made last, by name
	Runner          PlanRunner // with PID 0 if no process runs the plan
	Unrecorded      bool       // the last step was made but not recorded (ErrNotRecorded): see Why
	// Stuck says why a stopped plan can neither continue nor be rolled back, and what to do; Why contains it
	// too. "metrics is at 38, the plan expects 40: move it back to 40, or end the plan here (x,
	// --keep)". Empty if the plan can go on.
	Stuck string
	// Stopping is set once a user of this Rung stopped the plan, until the step under way is written.
	Stopping bool
}

// PlanStep is one step of a plan.
type PlanStep struct {
	Policy string `json:"policy"`
	From   int32  `json:"from"`
	To     int32  `json:"to"`
	Note   string `json:"note,omitempty"` // a remark on the result: "tied again at 40"
	State  string `json:"state"`          // StepDone, StepRunning, StepWaiting or StepPending
}

// String returns the step as people write it: "green-tenant 40 → 41".
func (s PlanStep) String() string { return fmt.Sprintf("%s %d → %d", s.Policy, s.From, s.To) }

// PlanWait is a zone that a step waits for.
type PlanWait struct {
	Zone string
	// Why says in a few words why the zone is not done: "lost", "3 rows behind".
	Why   string
	Since time.Time
}

// PlanRunner is the process that runs a plan.
type PlanRunner struct {
	PID   int
	Host  string
	Since time.Time // when it began or resumed
	IsOwn bool      // this process
}

// IsUnderWay reports whether the plan is running or waiting, here or elsewhere.
func (p *PlanState) IsUnderWay() bool {
	return p != nil && (p.State == PlanRunning || p.State == PlanWaiting)
}

// IsOpen reports whether the plan is under way or stopped before its end.
func (p *PlanState) IsOpen() bool { return p.IsUnderWay() || p != nil && p.State == PlanStopped }

// RunsElsewhere reports whether another Rung runs the plan.
func (p *PlanState) RunsElsewhere() bool { return p.IsUnderWay() && !p.Runner.IsOwn }

// IsUndoneBy reports whether undo takes the whole plan back. undo is the title of the next change to undo,
// which may be a later change.
func (p *PlanState) IsUndoneBy(undo string) bool {
	return p.State == PlanDone && !p.RollingBack && p.Title != "" && p.Title == undo
}

// RunBy names the other Rung that runs the plan: "run by another Rung (pid 4711, since 14:03:05)".
func (p *PlanState) RunBy() string {
	if !p.RunsElsewhere() {
		return ""
	}
	what, at := "run", ""
	if p.RollingBack {
		what = "rolled back"
	}
	if p.Runner.Host != "" {
		at = " on " + p.Runner.Host
	}
	return fmt.Sprintf("%s by another Rung (pid %d%s, since %s)", what, p.Runner.PID, at, p.Runner.Since.Local().Format(time.TimeOnly))
}

// WaitingText names the zones the plan waits for at a time: "waiting for w2 (lost 12 s)", or, if the plan
// stopped, "waited for w2 (lost 12 s)". It returns Why if the plan waits for no zone.
func (p *PlanState) WaitingText(now time.Time) string {
	if len(p.Waits) == 0 || p.State == PlanDone {
		return p.Why
	}
	stopped := p.State == PlanStopped
	if stopped && !p.Since.IsZero() {
		now = p.Since
	}
	zones := model.MapList(p.Waits, func(w PlanWait) string { return fmt.Sprintf("%s (%s)", w.Zone, w.ReasonText(now)) })
	switch text := words.JoinAtMost(zones, ", ", 3); {
	case !stopped:
		return "waiting for " + text
	case p.Why == "":
		return "waited for " + text
	default:
		return p.Why + "; it waited for " + text
	}
}

// ReasonText explains why a zone is waited for, and for how long: "lost 12 s".
func (w PlanWait) ReasonText(now time.Time) string {
	if w.Since.IsZero() || now.Before(w.Since) {
		return w.Why
	}
	return w.Why + " " + words.TimeLasted(now.Sub(w.Since))
}

// IsTargetReached reports whether every policy has the last priority that the plan gives it.
func (p *PlanState) IsTargetReached(c *model.Cluster) bool {
	last := map[string]int32{}
	for _, s := range p.Steps {
		last[s.Policy] = s.To
	}
	for name, priority := range last {
		if o := c.Policy(plan.KeyOfName(name)); o == nil || o.Priority != priority {
			return false
		}
	}
	return len(last) > 0
}

// StepsMade returns how many steps are done, or written and waiting for zones. The number is the same in every
// Rung that shows the plan, whichever zones it has.
func (p *PlanState) StepsMade() int {
	n := map[string]int{}
	for _, s := range p.Steps {
		n[s.State]++
	}
	switch {
	case n[StepWaiting] == 0:
		return p.Done
	case p.Done > n[StepDone]: // they were rolled back
		return n[StepDone]
	}
	return p.Done + n[StepWaiting]
}

// StepsDoneAndTotal returns the steps made and their total. During a rollback it returns the steps rolled
// back, and the steps made when the rollback began.
func (p *PlanState) StepsDoneAndTotal() (n, of int) {
	made := p.StepsMade()
	switch {
	case !p.RollingBack:
		return made, p.Total
	case p.StepsAtRollback == 0:
		return p.Total - made, p.Total
	}
	of = max(p.StepsAtRollback, made)
	return of - made, of
}

// PlaceText returns how far the plan is: "4 of 9", during a rollback "3 of 5 back".
func (p *PlanState) PlaceText() string {
	n, of := p.StepsDoneAndTotal()
	text := fmt.Sprintf("%s of %s", words.Thousands(n), words.Thousands(of))
	switch {
	case p.RollingBack:
		return text + " back"
	case p.waitsForZonesOnly():
		return text + ", not live in every zone yet"
	}
	return text
}

// waitsForZonesOnly reports whether the plan stopped after its last step, before all zones showed it.
func (p *PlanState) waitsForZonesOnly() bool {
	return p.State == PlanStopped && !p.RollingBack && p.StepsMade() == p.Total && p.Done < p.Total
}

// IsShownByZones reports whether every zone has shown the last step: the plan has nothing left to do.
func (p *PlanState) IsShownByZones() bool { return p.Total > 0 && !p.RollingBack && p.Done == p.Total }

// NextStep returns the next step of a stopped plan, as in Step; empty if every step is made.
func (p *PlanState) NextStep() string {
	if !p.RollingBack {
		if i := slices.IndexFunc(p.Steps, func(s PlanStep) bool { return s.State == StepPending }); i >= 0 {
			return p.Steps[i].String()
		}
		return ""
	}
	for _, s := range slices.Backward(p.Steps) {
		if s.State == StepDone {
			return PlanStep{Policy: s.Policy, From: s.To, To: s.From}.String()
		}
	}
	return ""
}

// Equal reports whether two states of a plan are equal.
func (p *PlanState) Equal(o *PlanState) bool {
	if p == nil || o == nil {
		return p == o
	}
	return p.Title == o.Title && p.Total == o.Total && p.StepsAtRollback == o.StepsAtRollback && p.Done == o.Done && p.State == o.State &&
		p.RollingBack == o.RollingBack && p.Why == o.Why && p.Step == o.Step && p.Unrecorded == o.Unrecorded &&
		p.Stuck == o.Stuck && p.Stopping == o.Stopping &&
		p.Runner.PID == o.Runner.PID && p.Runner.Host == o.Runner.Host && p.Runner.IsOwn == o.Runner.IsOwn &&
		p.Since.Equal(o.Since) && p.Runner.Since.Equal(o.Runner.Since) && slices.Equal(p.Steps, o.Steps) &&
		slices.EqualFunc(p.Waits, o.Waits, func(a, b PlanWait) bool {
			return a.Zone == b.Zone && a.Why == b.Why && a.Since.Equal(b.Since)
		})
}

// String returns how far the plan is, in a few words: "4 of 9 done".
func (p *PlanState) String() string {
	switch {
	case p.RollingBack && p.State == PlanDone:
		return "rolled back"
	case p.RollingBack:
		return "rolling back, " + p.PlaceText()
	case p.waitsForZonesOnly():
		n := words.Thousands(p.Total)
		return n + " of " + n + " made, not live in every zone yet"
	}
	return p.PlaceText() + " done"
}
