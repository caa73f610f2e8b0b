package preview

import (
	"context"

	"rung/change"
	"rung/change/gate"
	"rung/ui/view"
)

// ChangeSource is a change and how it is made. Its methods are called from other
// goroutines than the screen's.
type ChangeSource interface {
	// WorkOut works the consequences out.
	WorkOut(ctx context.Context, c view.Console) (*gate.Preview, error)
	// CommitChange makes the change. The result may be nil where there is none to
	// speak of.
	CommitChange(ctx context.Context, c view.Console, p *gate.Preview, answer gate.Confirm) (*gate.Result, error)
}

// PreviewOptions are the settings of a preview, from the page that opens it.
type PreviewOptions struct {
	// Crumb names the page, "preview" when empty.
	Crumb string
	// Question is the question to answer, "Apply?" when empty.
	Question string
	// Edit goes on editing; nil where nothing is being edited.
	Edit func(*view.Env)
	// Cancel leaves it; nil goes back one page.
	Cancel func(*view.Env)
	// Written is called once the change was made; Done likewise, instead of
	// waiting for the rows, saying so and going back.
	Written, Done func(*view.Env)
	// Copies can be copied besides.
	Copies []view.CopyItem
	// Kept, when set, says where the text is kept that leads to the change.
	Kept string
	// Known is the preview of the mutation, if it was worked out already.
	Known *gate.Preview
}

// mutationSource is a change that is one change.Mutation, and its preview if that was worked out already.
type mutationSource struct {
	m     change.Mutation
	known *gate.Preview
}

func (s *mutationSource) WorkOut(ctx context.Context, c view.Console) (*gate.Preview, error) {
	if p := s.known; p != nil {
		s.known = nil
		return p, nil
	}
	return c.Preview(ctx, s.m)
}

func (s *mutationSource) CommitChange(ctx context.Context, c view.Console, p *gate.Preview, answer gate.Confirm) (*gate.Result, error) {
	return c.Commit(ctx, p, answer)
}

// New is the page of one mutation.
func New(m change.Mutation) view.View { return PreviewMutation(m, PreviewOptions{}) }

// PreviewMutation is a preview of one mutation with options of its own.
func PreviewMutation(m change.Mutation, opt PreviewOptions) *View {
	return PreviewOf(&mutationSource{m, opt.Known}, opt)
}
