package change

import (
	"fmt"
	"strings"
	"time"

	"rung/change/gate"
	"rung/cli/command"
	"rung/model/clean"
	"rung/model/plan"
	"rung/model/signs"
	"rung/pages/consequences"
	"rung/pages/page"
	"rung/revision"
)

// planOut is a plan that is under way or stopped.
type planOut struct {
	Title       string              `json:"title"`
	Outcome     string              `json:"outcome,omitempty"` // as in consequences.Facts
	State       string              `json:"state"`
	Done        int                 `json:"done"` // steps that were made and stand
	Total       int                 `json:"total"`
	RollingBack bool                `json:"rolling_back,omitempty"`
	Why         string              `json:"why,omitempty"`
	Waits       []planWaitOut       `json:"waits"`
	Runner      *planAuthor         `json:"runner,omitempty"`
	Steps       []revision.PlanStep `json:"steps"`
}

type planWaitOut struct {
	Zone  string `json:"zone"`
	Why   string `json:"why"`
	Since string `json:"since,omitempty"`
}

type planAuthor struct {
	PID   int    `json:"pid"`
	Host  string `json:"host,omitempty"`
	Since string `json:"since"`
}

func describePlan(st *revision.PlanState) *planOut {
	out := &planOut{Title: st.Title, State: st.State, Done: st.StepsMade(), Total: st.Total, RollingBack: st.Back, Why: st.Why,
		Waits: page.MapList(st.Waits, func(w revision.PlanWait) planWaitOut {
			o := planWaitOut{Zone: w.Zone, Why: w.Why}
			if !w.Since.IsZero() {
				o.Since = page.StampText(w.Since)
			}
			return o
		}),
		Steps: append([]revision.PlanStep{}, st.Steps...)}
	if r := st.Runner; r.PID != 0 {
		out.Runner = &planAuthor{PID: r.PID, Host: r.Host, Since: page.StampText(r.Since)}
	}
	return out
}

// stepMarks stand before the steps of a plan.
var stepMarks = map[string]string{revision.StepDone: signs.Yes, revision.StepRunning: signs.Working, revision.StepWaiting: signs.Working}

// planStateText is a plan that is under way or stopped, step by step, and what can be
// done about it.
func planStateText(st *revision.PlanState) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s", st.Title, st.State, st)
	if st.Why != "" {
		b.WriteString(": " + clean.Line(st.Why))
	}
	if by := st.RunBy(); by != "" {
		b.WriteString("; " + by)
	}
	b.WriteString("\n\n")
	t := &command.TextTable{Head: []string{" ", "STEP", "POLICY", "FROM", "TO", "STATE", "NOTE"}}
	for i, s := range st.Steps {
		state := s.State
		if state == revision.StepWaiting {
			state = "made, not shown by every zone yet"
		}
		t.AddRow(stepMarks[s.State], fmt.Sprint(i+1), s.Policy, fmt.Sprint(s.From), fmt.Sprint(s.To), state, s.Note)
	}
	b.WriteString(t.String())
	if st.State == revision.PlanStopped && st.Stuck == "" { // else the reason has the ways out
		b.WriteString("\n" + planNext + "\n")
	}
	return b.String()
}

// keptText tells, where changes are not written back, of a plan of the same files that is.
func keptText(st *revision.PlanState, now time.Time) string {
	if st.IsUnderWay() {
		return "a plan is under way, " + st.String() + ": " + st.RunBy()
	}
	text := st.StoppedText(now)
	if st.Stuck != "" {
		return text + ": " + clean.Line(st.Stuck)
	}
	return text + ": rung plan --write-back with --resume, --back or --keep"
}

// planNext says what can be done about a plan that stopped.
const planNext = "rung plan --resume continues, --back rolls back, --keep keeps the policies as they are"

// stepsOut is the JSON of a stopped plan's remaining steps, which a yes makes.
type stepsOut struct {
	Title     string                   `json:"title"`
	Outcome   string                   `json:"outcome,omitempty"` // as in consequences.Facts
	Blocked   string                   `json:"blocked,omitempty"`
	FirstStep int                      `json:"first_step"`
	Steps     []plan.Step              `json:"steps"`
	Guards    []consequences.GuardRail `json:"guards"`
	// Connections is the effect of all steps together, StepConnections the effect of each.
	Connections     *consequences.Effect   `json:"connections,omitempty"`
	StepConnections []*consequences.Effect `json:"step_connections,omitempty"`
	ConfirmName     string                 `json:"confirm_name,omitempty"`
	Notes           []string               `json:"notes"`
}

// stepsAnswer is the preview of a plan: the steps that a yes makes.
func stepsAnswer(p *gate.Preview, outcome string) *command.Answer {
	all := consequences.FactsOf(p)
	out := stepsOut{Title: p.Title, Outcome: outcome, Blocked: p.Blocked, FirstStep: p.FirstStep, Steps: append([]plan.Step{}, p.Steps...), Guards: all.Guards,
		Connections: all.Connections, StepConnections: page.MapList(p.StepEffects, consequences.EffectOf),
		ConfirmName: p.ConfirmName, Notes: all.Notes}
	return &command.Answer{Value: out, NotConsidered: p.NotConsidered, Text: func(bool) string {
		text := p.Title + "\n\n"
		if len(p.Steps) == 0 && p.Blocked == "" {
			text += "every step is made; waiting for the zones that do not show the last one\n"
		} else {
			text += stepsText(p.Steps, p.FirstStep)
		}
		for _, n := range p.Notes {
			text += signs.Noted + " " + n + "\n"
		}
		return text + guardsText(p)
	}}
}

// stepsText lists steps, the first of which has a number.
func stepsText(steps []plan.Step, first int) string {
	t := &command.TextTable{Head: []string{"STEP", "POLICY", "FROM", "TO", "NOTE"}}
	for i, s := range steps {
		t.AddRow(fmt.Sprint(first+i), s.Policy, fmt.Sprint(s.From), fmt.Sprint(s.To), s.Note)
	}
	return t.String()
}
