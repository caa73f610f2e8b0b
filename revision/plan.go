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
	PlanWaiting = "waiting" // the next step waits for a lost zone, say; the plan goes on by itself
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
	Title string // "Re-space: step 10, starting at 10"
	// Done of Total steps are shown by every zone of this Rung. StepsMade returns the number for people.
	Total, Done int
	State       string     // PlanRunning, PlanWaiting, PlanStopped or PlanDone
	Back        bool       // the plan is being rolled back, or was until it stopped: Done goes down to 0
	Why         string     // what it waits for or why it stopped, without times: see WaitingText
	Top         int        // steps made when the roll back began, 0 if unknown
	Since       time.Time  // when it stopped, zero if it did not or the time is unknown
	Step        string     // the step under way or next: "green-tenant 40 → 41"
	Steps       []PlanStep // in the order in which they are made
	Waits       []PlanWait // the zones that do not show the step made last, by name
	Runner      PlanRunner // with PID 0 if nobody runs the plan
	Unrecorded  bool       // the last step was made and could not be written down (ErrNotRecorded): see Why
	// Stuck says why a stopped plan can be neither continued nor rolled back, and what to do; Why
	// says it too. "metrics stands at 38, the plan expects 40: move it back to 40, or end the plan
	// as it is (x, --keep)". Empty if it can.
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

// RunBy names the other Rung that runs the plan: "run by another Rung (pid 4711, since 14:03:05)".
func (p *PlanState) RunBy() string {
	if !p.RunsElsewhere() {
		return ""
	}
	what, at := "run", ""
	if p.Back {
		what = "rolled back"
	}
	if p.Runner.Host != "" {
		at = " on " + p.Runner.Host
	}
	return fmt.Sprintf("%s by another Rung (pid %d%s, since %s)", what, p.Runner.PID, at, p.Runner.Since.Local().Format(time.TimeOnly))
}

// WaitingText says what the plan waits for at a time: "waiting for w2 (lost 12 s)", or, if the plan
// stopped, "waited for w2 (lost 12 s)". It returns Why if the plan waits for no zone.
func (p *PlanState) WaitingText(now time.Time) string {
	if len(p.Waits) == 0 || p.State == PlanDone {
		return p.Why
	}
	stopped := p.State == PlanStopped
	if stopped && !p.Since.IsZero() {
		now = p.Since
	}
	var zones []string
	for _, w := range p.Waits {
		zones = append(zones, fmt.Sprintf("%s (%s)", w.Zone, w.ReasonText(now)))
	}
	switch text := words.JoinAtMost(zones, ", ", 3); {
	case !stopped:
		return "waiting for " + text
	case p.Why == "":
		return "waited for " + text
	default:
		return p.Why + "; it waited for " + text
	}
}

// ReasonText is why a zone is waited for, and how long: "lost 12 s".
func (w PlanWait) ReasonText(now time.Time) string {
	if w.Since.IsZero() || now.Before(w.Since) {
		return w.Why
	}
	return w.Why + " " + words.TimeLasted(now.Sub(w.Since))
}

// IsTargetReached reports whether every policy has the priority that the plan gives it last.
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

// StepsMade returns how many steps are done, or written and waiting for zones. Every Rung that
// looks at the plan returns the same number, whichever zones it has.
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

// StepsOfWay returns the steps made and their whole number: on the way back, the steps rolled
// back, of the steps made when it began.
func (p *PlanState) StepsOfWay() (n, of int) {
	made := p.StepsMade()
	switch {
	case !p.Back:
		return made, p.Total
	case p.Top == 0:
		return p.Total - made, p.Total
	}
	of = max(p.Top, made)
	return of - made, of
}

// PlaceText returns where the plan is: "4 of 9", on the way back "3 of 5 back".
func (p *PlanState) PlaceText() string {
	n, of := p.StepsOfWay()
	text := fmt.Sprintf("%s of %s", words.Thousands(n), words.Thousands(of))
	switch {
	case p.Back:
		return text + " back"
	case p.waitsForZonesOnly():
		return text + ", which not every zone shows yet"
	}
	return text
}

// waitsForZonesOnly reports whether the plan stopped after its last step, before all zones showed it.
func (p *PlanState) waitsForZonesOnly() bool {
	return p.State == PlanStopped && !p.Back && p.StepsMade() == p.Total && p.Done < p.Total
}

// IsShownByZones reports whether every zone has shown the last step: the plan has nothing left to do.
func (p *PlanState) IsShownByZones() bool { return p.Total > 0 && !p.Back && p.Done == p.Total }

// NextStep returns the step that a stopped plan makes next, as Step; empty if every step is made.
func (p *PlanState) NextStep() string {
	if !p.Back {
		if i := slices.IndexFunc(p.Steps, func(s PlanStep) bool { return s.State == StepToCome }); i >= 0 {
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

// SaysSame reports whether two states of a plan are equal.
func (p *PlanState) SaysSame(o *PlanState) bool {
	if p == nil || o == nil {
		return p == o
	}
	return p.Title == o.Title && p.Total == o.Total && p.Top == o.Top && p.Done == o.Done && p.State == o.State &&
		p.Back == o.Back && p.Why == o.Why && p.Step == o.Step && p.Unrecorded == o.Unrecorded && p.Stuck == o.Stuck &&
		p.Runner.PID == o.Runner.PID && p.Runner.Host == o.Runner.Host && p.Runner.IsOwn == o.Runner.IsOwn &&
		p.Since.Equal(o.Since) && p.Runner.Since.Equal(o.Runner.Since) && slices.Equal(p.Steps, o.Steps) &&
		slices.EqualFunc(p.Waits, o.Waits, func(a, b PlanWait) bool {
			return a.Zone == b.Zone && a.Why == b.Why && a.Since.Equal(b.Since)
		})
}

// String returns how far the plan is, in a few words: "4 of 9 done".
func (p *PlanState) String() string {
	switch {
	case p.Back && p.State == PlanDone:
		return "rolled back"
	case p.Back:
		return "rolling back, " + p.PlaceText()
	case p.waitsForZonesOnly():
		n := words.Thousands(p.Total)
		return n + " of " + n + " made, which not every zone shows yet"
	}
	return p.PlaceText() + " done"
}
