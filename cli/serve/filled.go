package serve

import (
	"context"
	"rung/cli/command"
	"rung/engine"
	"rung/revision"
)

// whileFilled runs the screen and ends it where there turns out to be nothing in the
// files, which is the error then.
func whileFilled(ctx context.Context, a *command.App, e *engine.Engine, screen func(context.Context) error) error {
	if a.Needs == command.NeedNothing || len(a.Flags.Files) == 0 {
		return screen(ctx)
	}
	ctx, end := context.WithCancelCause(ctx)
	lacking := make(chan error, 1)
	loaded := func(r *revision.Revision) bool { return r.Loaded }
	go func() {
		var err error
		if e.Wait(ctx, loaded) == nil || loaded(e.Revision()) { // else the screen was left before
			if err = a.Lacks(e.Revision()); err != nil {
				end(err)
			}
		}
		lacking <- err
	}()
	err := screen(ctx)
	end(nil)
	if empty := <-lacking; empty != nil {
		return empty
	}
	return err
}
