package cli

import (
	"time"

	"rung/change/gate"
	"rung/cli/command"
	"rung/model/plan"
	"rung/model/words"
	"rung/pages/difference"
	"rung/pages/page"
	told "rung/pages/plan"
	"rung/revision"
)

// planStateText describes a running or stopped plan step by step, and what can be done about it.
func planStateText(st *revision.PlanState, now time.Time, next string) string {
	text := words.CleanLine(told.Headline(st, now)) + "\n\n" + command.TableText(told.Steps, told.StepsOf(st), false, 0)
	if st.State == revision.PlanStopped && st.Stuck == "" { // a stuck plan's reason says what to do
		text += "\n" + next + "\n"
	}
	return text
}

// planNext says what can be done about a stopped plan.
const planNext = "rung plan --resume continues, --back rolls back, --keep ends it"

// stepsOut is the JSON of a plan's remaining steps, which a yes makes.
type stepsOut struct {
	Title     string             `json:"title"`
	Outcome   string             `json:"outcome,omitempty"` // as in consequences.Facts
	Blocked   string             `json:"blocked,omitempty"`
	FirstStep int                `json:"first_step"`
	Steps     []plan.Step        `json:"steps"`
	Guards    []difference.Guard `json:"guards"`
	// Effect of all steps together, and of each step.
	Connections     *difference.Effect   `json:"connections,omitempty"`
	StepConnections []*difference.Effect `json:"step_connections,omitempty"`
	ConfirmName     string               `json:"confirm_name,omitempty"`
	Notes           []string             `json:"notes"`
}

// stepsAnswer returns the preview of a plan: the steps that a yes makes.
func stepsAnswer(p *gate.Preview, outcome string) *command.Answer {
	all := difference.ConsequencesOf(p)
	out := stepsOut{Title: p.Title, Outcome: outcome, Blocked: p.Blocked, FirstStep: p.FirstStep, Steps: append([]plan.Step{}, p.Steps...),
		Guards:      all.Guards,
		Connections: all.Connections, StepConnections: page.MapList(p.StepEffects, difference.EffectOf),
		ConfirmName: p.ConfirmName, Notes: all.Notes}
	return &command.Answer{Value: out, NotConsidered: p.NotConsidered, Text: func(bool) string {
		notes := p.Notes
		if len(p.Steps) == 0 && p.Blocked == "" {
			notes = append([]string{"all steps are made; waiting for zones to show the last one"}, notes...)
		}
		return stepsText(p.Title, p.Steps, p.FirstStep, notes) + guardsText(p)
	}}
}
