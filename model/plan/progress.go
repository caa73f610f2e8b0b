package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"rung/model/clean"
	"rung/model/words"
)

// progressVersion is raised when the stored form changes.
const progressVersion = 1

// MaxProgressSize bounds what DecodeProgress reads, in bytes.
const MaxProgressSize = 4 << 20

// ErrElsewhere marks a ladder that stands at no point of the plan: somebody
// else changed it.
var ErrElsewhere = errors.New("the ladder is not where the plan left it")

// Progress is a plan on its way, to be kept across restarts.
type Progress struct {
	// Context says which cluster or source the plan belongs to.
	Context string
	Plan    Plan
	// Done is how many of the steps are done; with Back they are being undone.
	Done int
	Back bool
}

type storedProgress struct {
	Version int    `json:"version"`
	Context string `json:"context"`
	Done    int    `json:"done"`
	Back    bool   `json:"back,omitempty"`
	Plan    Plan   `json:"plan"`
}

// Encode is the stored form, JSON. A progress that could not be read again is
// an error.
func (p *Progress) Encode() ([]byte, error) {
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("storing the progress of a plan: %w", err)
	}
	raw, err := json.MarshalIndent(storedProgress{progressVersion, p.Context, p.Done, p.Back, p.Plan}, "", " ")
	if err != nil {
		return nil, fmt.Errorf("storing the progress of a plan: %w", err)
	}
	return append(raw, '\n'), nil
}

// DecodeProgress reads what Encode wrote and trusts nothing in it: the steps
// must lead from now to then and keep every invariant of a plan.
func DecodeProgress(raw []byte) (*Progress, error) {
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
	p := &Progress{Context: in.Context, Plan: in.Plan, Done: in.Done, Back: in.Back}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("reading the progress of a plan: %w", err)
	}
	return p, nil
}

func (p *Progress) check() error {
	if p.Done < 0 || p.Done > len(p.Plan.Steps) {
		return fmt.Errorf("%d of %d steps done", p.Done, len(p.Plan.Steps))
	}
	if _, err := NewBoard(p.Plan.Now, p.Plan.Max); err != nil {
		return err
	}
	if err := Verify(p.Plan.Steps, p.Plan.Now, p.Plan.Max); err != nil {
		return err
	}
	then, err := Replay(p.Plan.Now, p.Plan.Steps)
	if err != nil {
		return err
	}
	want := slices.Clone(p.Plan.Then)
	sortSlots(want)
	if !slices.Equal(then, want) {
		return errors.New("the steps do not lead to the arrangement they should")
	}
	texts := append([]string{p.Context}, p.Plan.Notes...)
	for _, s := range p.Plan.Steps {
		texts = append(texts, s.Note)
	}
	for _, s := range p.Plan.Now {
		texts = append(texts, s.Policy)
	}
	for _, t := range texts {
		if !clean.Is(t) {
			return fmt.Errorf("%q has characters that cannot be shown", t)
		}
	}
	return nil
}

// Next is the step to do now; ok is false when there is none left. Going back it
// is the last step done, turned round.
func (p *Progress) Next() (s Step, ok bool) {
	switch {
	case p.Finished():
		return Step{}, false
	case !p.Back:
		return p.Plan.Steps[p.Done], true
	}
	s = p.Plan.Steps[p.Done-1]
	return Step{Policy: s.Policy, From: s.To, To: s.From, Note: fmt.Sprintf("takes step %d back", p.Done)}, true
}

// Advance counts the step of Next as done.
func (p *Progress) Advance() {
	switch {
	case p.Finished():
	case p.Back:
		p.Done--
	default:
		p.Done++
	}
}

// Finished says whether no step is left in the direction the plan goes.
func (p *Progress) Finished() bool {
	if p.Back {
		return p.Done == 0
	}
	return p.Done >= len(p.Plan.Steps)
}

// At is where the policies stand when Done steps are done.
func (p *Progress) At() ([]Slot, error) { return Replay(p.Plan.Now, p.Plan.Steps[:p.Done]) }

// Locate finds how many steps are done in a ladder as it is now: the last step
// may have been done without being recorded. It is ErrElsewhere when the ladder
// stands at no point of the plan or has other policies.
func (p *Progress) Locate(current []Slot) (done int, err error) {
	at := make(map[string]int32, len(current))
	for _, s := range current {
		at[s.Policy] = s.Priority
	}
	for _, s := range p.Plan.Now {
		if _, ok := at[s.Policy]; !ok {
			return 0, fmt.Errorf("%w: %s is gone", ErrElsewhere, s.Policy)
		}
		delete(at, s.Policy)
	}
	if len(at) > 0 {
		return 0, fmt.Errorf("%w: new on it: %s", ErrElsewhere, words.Few(slices.Sorted(maps.Keys(at)), 3))
	}
	current = slices.Clone(current)
	sortSlots(current)
	for k := range len(p.Plan.Steps) + 1 {
		state, err := Replay(p.Plan.Now, p.Plan.Steps[:k])
		if err != nil {
			return 0, err
		}
		if slices.Equal(state, current) {
			return k, nil
		}
	}
	want, err := p.At()
	if err != nil {
		return 0, err
	}
	for i := range want {
		if j := slices.IndexFunc(current, func(s Slot) bool { return s.Policy == want[i].Policy }); current[j] != want[i] {
			return 0, fmt.Errorf("%w: %s stands at %d, not %d", ErrElsewhere,
				want[i].Policy, current[j].Priority, want[i].Priority)
		}
	}
	return 0, ErrElsewhere
}
