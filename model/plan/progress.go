package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"rung/model/words"
)

// progressVersion is raised when the stored form changes.
const progressVersion = 1

// MaxProgressSize bounds the input of DecodeProgress, in bytes.
const MaxProgressSize = 4 << 20

// PlanProgress is a plan under way, kept across restarts.
type PlanProgress struct {
	// Context names the cluster or source of the plan.
	Context string `json:"context"`
	// Done is the number of steps done.
	Done int `json:"done"`
	// Back reports that the steps done are rolled back, to the beginning of Part.
	Back bool `json:"back,omitempty"`
	// Part is the part of the plan to run; nil is the whole plan.
	Part *PlanPart `json:"part,omitempty"`
	Plan Plan      `json:"plan"`
}

// PlanPart is a part of a plan, by the number of steps done before and after it. Undoing a plan of three steps
// goes from 3 to 0.
type PlanPart struct {
	From int `json:"from"`
	To   int `json:"to"`
}

type storedProgress struct {
	Version int `json:"version"`
	PlanProgress
}

// Encode returns the stored form, as JSON. The error reports a progress that DecodeProgress would reject.
func (p *PlanProgress) Encode() ([]byte, error) {
	if err := p.checkStored(); err != nil {
		return nil, fmt.Errorf("storing the progress of a plan: %w", err)
	}
	raw, err := json.MarshalIndent(storedProgress{progressVersion, *p}, "", " ")
	if err != nil {
		return nil, fmt.Errorf("storing the progress of a plan: %w", err)
	}
	return append(raw, '\n'), nil
}

// DecodeProgress reads the output of Encode and trusts nothing in it: the steps must lead from Now to Then and
// keep every invariant of a plan.
func DecodeProgress(raw []byte) (*PlanProgress, error) {
	if len(raw) > MaxProgressSize {
		return nil, fmt.Errorf("reading the progress of a plan: %d bytes is more than %d", len(raw), MaxProgressSize)
	}
	var in storedProgress
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return nil, fmt.Errorf("reading the progress of a plan: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("reading the progress of a plan: more text after its end")
	}
	if in.Version != progressVersion {
		return nil, fmt.Errorf("reading the progress of a plan: version %d is not %d", in.Version, progressVersion)
	}
	p := &in.PlanProgress
	if err := p.checkStored(); err != nil {
		return nil, fmt.Errorf("reading the progress of a plan: %w", err)
	}
	return p, nil
}

func (p *PlanProgress) checkStored() error {
	if p.Done < 0 || p.Done > len(p.Plan.Steps) {
		return fmt.Errorf("%d of %d steps done", p.Done, len(p.Plan.Steps))
	}
	if w := p.CurrentPart(); min(w.From, w.To) < 0 || max(w.From, w.To) > len(p.Plan.Steps) ||
		p.Done < min(w.From, w.To) || p.Done > max(w.From, w.To) {
		return fmt.Errorf("%d steps done on the way from %d to %d of %d", p.Done, w.From, w.To, len(p.Plan.Steps))
	}
	if _, err := NewBoard(p.Plan.Now, p.Plan.Max); err != nil {
		return err
	}
	if err := VerifySteps(p.Plan.Steps, p.Plan.Now, p.Plan.Max); err != nil {
		return err
	}
	then, err := ReplaySteps(p.Plan.Now, p.Plan.Steps)
	if err != nil {
		return err
	}
	want := slices.Clone(p.Plan.Then)
	sortPlacements(want)
	if !slices.Equal(then, want) {
		return errors.New("the steps do not lead to the stored result")
	}
	texts := append([]string{p.Context, p.Plan.Title}, p.Plan.Notes...)
	for _, s := range p.Plan.Steps {
		texts = append(texts, s.Note)
	}
	for _, s := range p.Plan.Now {
		texts = append(texts, s.Policy)
	}
	for _, t := range texts {
		if !words.IsClean(t) {
			return fmt.Errorf("%q has characters that cannot be shown", t)
		}
	}
	return nil
}

// CurrentPart returns the part that is run, regardless of a rollback.
func (p *PlanProgress) CurrentPart() PlanPart {
	if p.Part != nil {
		return *p.Part
	}
	return PlanPart{To: len(p.Plan.Steps)}
}

// targetCount returns the number of steps done at the plan's target.
func (p *PlanProgress) targetCount() int {
	if p.Back {
		return p.CurrentPart().From
	}
	return p.CurrentPart().To
}

// NextStep returns the step to do now; ok is false if none is left.
func (p *PlanProgress) NextStep() (s Step, ok bool) {
	switch to := p.targetCount(); {
	case p.Done < to:
		return p.Plan.Steps[p.Done], true
	case p.Done > to:
		return p.Plan.reversedStep(p.Done - 1), true
	}
	return Step{}, false
}

// reversedStep returns a step in the opposite direction.
func (p *Plan) reversedStep(i int) Step {
	s := p.Steps[i]
	return Step{Policy: s.Policy, From: s.To, To: s.From, Note: fmt.Sprintf("rolls step %d back", i+1)}
}

// Advance counts the step of NextStep as done.
func (p *PlanProgress) Advance() {
	switch to := p.targetCount(); {
	case p.Done < to:
		p.Done++
	case p.Done > to:
		p.Done--
	}
}

// IsFinished reports whether no step is left in the current direction.
func (p *PlanProgress) IsFinished() bool { return p.Done == p.targetCount() }

// AllSteps returns all steps of the part under way, in its order; see StepsMade.
func (p *PlanProgress) AllSteps() []Step {
	w := p.CurrentPart()
	return p.Plan.stepsBetween(w.From, w.To)
}

// StepsMade returns how many of AllSteps are made once done steps of the plan are done.
func (p *PlanProgress) StepsMade(done int) int {
	if w := p.CurrentPart(); w.From > w.To {
		return w.From - done
	}
	return done - p.CurrentPart().From
}

// StepsLeft returns the steps left in the current direction.
func (p *PlanProgress) StepsLeft() []Step { return p.Plan.stepsBetween(p.Done, p.targetCount()) }

// StepsSince returns the steps made since p.Done had the value done.
func (p *PlanProgress) StepsSince(done int) []Step {
	return p.Plan.stepsBetween(min(max(done, 0), len(p.Plan.Steps)), p.Done)
}

// stepsBetween returns the steps that lead from one number of done steps to another.
func (p *Plan) stepsBetween(from, to int) (steps []Step) {
	if from <= to {
		return slices.Clone(p.Steps[from:to])
	}
	for i := from; i > to; i-- {
		steps = append(steps, p.reversedStep(i-1))
	}
	return steps
}
