package plan

import (
	"fmt"
	"time"

	"rung/model/plan"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// Step is a numbered step of a plan, with its note while that holds.
type Step struct {
	revision.PlanStep
	Number int
}

// ListSteps returns the steps of a running or stopped plan. The note about a tie belongs to the step of its
// first member; it moves to the first of the tie's steps that is not done.
func ListSteps(p *revision.PlanState) []Step {
	out := make([]Step, len(p.Steps))
	var before revision.PlanStep
	for i, s := range p.Steps {
		if s.Note == "" && before.State == revision.StepDone && before.From == s.From && before.To == s.To {
			s.Note = before.Note
		}
		before = s
		if s.State == revision.StepDone {
			s.Note = ""
		}
		out[i] = Step{s, i + 1}
	}
	return out
}

// ProposedSteps returns steps that have not begun, numbered from first.
func ProposedSteps(steps []plan.Step, first int) []Step {
	out := make([]Step, len(steps))
	for i, s := range steps {
		out[i] = Step{revision.PlanStep{Policy: s.Policy, From: s.From, To: s.To, Note: s.Note}, first + i}
	}
	return out
}

// StateSign returns the sign of the step's state, or none before it begins, and the role of its name.
func (s *Step) StateSign() (sign page.Span, name page.Role) {
	switch s.State {
	case revision.StepDone:
		return page.Span{Text: words.Yes, Role: themes.OK}, themes.Dim
	case revision.StepRunning:
		return page.Span{Text: words.Working, Role: themes.Info}, themes.Title
	case revision.StepWaiting:
		return page.Span{Text: words.Waiting, Role: themes.Warn}, themes.Title
	}
	return page.Span{Role: themes.Dim}, themes.Text
}

// Steps lists the steps of a plan, with their states if the plan has begun.
var Steps = &page.Table[Step]{Empty: "no policy has to move", Columns: []page.Column[Step]{
	{Key: "sign", Title: " ", Sparse: true, Cell: func(s Step) page.Cell {
		sign, _ := s.StateSign()
		return page.Cell{Text: sign.Text, Role: sign.Role}
	}},
	{Key: "step", Title: "STEP", Cell: func(s Step) page.Cell { return page.Cell{Text: words.Thousands(s.Number)} }},
	{Key: "policy", Title: "POLICY", Cell: func(s Step) page.Cell { return page.Cell{Text: s.Policy} }},
	{Key: "from", Title: "FROM", Cell: func(s Step) page.Cell { return page.Cell{Text: fmt.Sprint(s.From)} }},
	{Key: "to", Title: "TO", Cell: func(s Step) page.Cell { return page.Cell{Text: fmt.Sprint(s.To)} }},
	{Key: "state", Title: "STATE", Sparse: true, Cell: func(s Step) page.Cell {
		if s.State == revision.StepWaiting {
			return page.Cell{Text: "made, not live in every zone yet"}
		}
		return page.Cell{Text: s.State}
	}},
	{Key: "note", Title: "NOTE", Cell: func(s Step) page.Cell { return page.Cell{Text: s.Note} }},
}}

// DescribeState returns a plan's state: a word with its sign, and the progress.
func DescribeState(p *revision.PlanState) (sign page.Span, word, made string) {
	sign, word, made = page.Span{Text: words.Working, Role: themes.Info}, revision.PlanRunning, p.String()
	back, left := "rolling back", ""
	switch p.State {
	case revision.PlanWaiting:
		sign, back = page.Span{Text: words.Waiting, Role: themes.Warn}, "rolling back, waiting"
	case revision.PlanStopped:
		sign, word, back = page.Span{Text: words.Failed, Role: themes.Error}, p.State, "rollback stopped"
		if n, of := p.StepsDoneAndTotal(); n < of {
			left = fmt.Sprintf(", %s not", words.Thousands(of-n))
		}
	case revision.PlanDone:
		sign, word, back = page.Span{Text: words.Yes, Role: themes.OK}, "finished", "rolled back"
		made = fmt.Sprintf("%s of %s steps", words.Thousands(p.Done), words.Thousands(p.Total))
	}
	if p.Stopping {
		word, back = "stopping after this step", "stopping the rollback after this step"
	}
	if !p.RollingBack {
		return sign, word, made + left
	}
	if p.State == revision.PlanDone {
		return sign, back, "all policies have their old priorities"
	}
	return sign, back, p.PlaceText() + left
}

// Headline returns a plan's state in a line: "re-space: step 10, starting at 10: stopped, 4 of 9 done (since
// 12 min): interrupted".
func Headline(p *revision.PlanState, now time.Time) string {
	_, word, made := DescribeState(p)
	text := p.Title + ": " + word + ", " + made
	if p.State == revision.PlanStopped && !p.Since.IsZero() {
		text += " (since " + words.TimeLasted(now.Sub(p.Since)) + ")"
	}
	text += words.Between(": ", p.WaitingText(now), "")
	text += words.Between("; ", p.RunBy(), "")
	return text
}
