package preview

import (
	"context"

	"rung/change"
	"rung/change/gate"
	"rung/ui/view"
)

// Source is a change and how it is made. Its methods are called from other
// goroutines than the screen's.
type Source interface {
	// Work works the consequences out.
	Work(ctx context.Context, c view.Console) (*gate.Preview, error)
	// Commit makes the change. The result may be nil where there is none to
	// speak of.
	Commit(ctx context.Context, c view.Console, p *gate.Preview, answer gate.Confirm) (*gate.Result, error)
}

// Options are the settings of a preview, from the page that opens it.
type Options struct {
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
}

// mutation is a change that is one change.Mutation.
type mutation struct{ m change.Mutation }

func (s *mutation) Work(ctx context.Context, c view.Console) (*gate.Preview, error) {
	return c.Preview(ctx, s.m)
}

func (s *mutation) Commit(ctx context.Context, c view.Console, p *gate.Preview, answer gate.Confirm) (*gate.Result, error) {
	return c.Commit(ctx, p, answer)
}

// New is the page of one mutation.
func New(m change.Mutation) view.View { return Change(m, Options{}) }

// Change is a preview of one mutation with options of its own.
func Change(m change.Mutation, opt Options) *View { return Of(&mutation{m}, opt) }
