package preview

import (
	"context"

	"rung/change"
	"rung/change/gate"
	"rung/ui/view"
)

// ChangeSource is a change and how to make it. Calls come from goroutines other than the screen's.
type ChangeSource interface {
	// WorkOut computes the consequences.
	WorkOut(ctx context.Context, c view.Console) (*gate.Preview, error)
	// CommitChange makes the change. The result may be nil if there is none to report.
	CommitChange(ctx context.Context, c view.Console, p *gate.Preview, answer gate.Confirm) (*gate.Result, error)
}

// PreviewOptions are settings of a preview by the page that opens it.
type PreviewOptions struct {
	// Crumb names the page, "preview" if empty.
	Crumb string
	// Question is the question to answer, "Apply?" if empty.
	Question string
	// Edit continues editing; nil if nothing is edited.
	Edit func(*view.Env)
	// Cancel leaves the preview; nil goes back one page.
	Cancel func(*view.Env)
	// Written is called once the change was made. Done is called next; it replaces waiting for the rows and
	// the plan's page.
	Written, Done func(*view.Env)
	// Copies are further texts to copy.
	Copies []view.CopyItem
	// Kept is the file of the text behind the change, empty if none.
	Kept string
	// Known is the preview of the mutation, if already computed.
	Known *gate.Preview
}

// mutationSource is a single change.Mutation, with its preview if already computed.
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

// New makes the page of one mutation.
func New(m change.Mutation) view.View { return PreviewMutation(m, PreviewOptions{}) }

// PreviewMutation makes a preview of one mutation with options.
func PreviewMutation(m change.Mutation, opt PreviewOptions) *View {
	return NewView(&mutationSource{m, opt.Known}, opt)
}
