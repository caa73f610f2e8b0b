package serve

import (
	"context"
	"errors"
	"rung/cli/command"
	"rung/engine"
	"sync"
)

// engines holds the engines of a console: the one shown, and those that were left
// and are ending.
type engines struct {
	mu     sync.Mutex
	newest *engine.Engine
	ending sync.WaitGroup
	closed bool
}

// replace shows another engine and ends the one before, without waiting for it.
// One that comes when the screen has been left ends at once.
func (r *engines) replace(e *engine.Engine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		e.Close()
		return
	}
	old := r.newest
	r.newest = e
	r.ending.Go(old.Close)
}

func (r *engines) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.newest.Close()
	r.ending.Wait()
}

// switcher opens other contexts with the flags of this run. Changes that were
// allowed for one cluster are not for the next.
func switcher(a *command.App, open *engines) func(context.Context, string) (*engine.Engine, error) {
	return func(ctx context.Context, name string) (*engine.Engine, error) {
		next := *a
		next.Flags.Kube.Overrides.CurrentContext, next.Flags.Kube.Write = name, false
		switch {
		case len(next.Flags.NB)+len(next.Flags.SB) > 0:
			return nil, errors.New("--nb and --sb name databases of one cluster; start Rung again for another cluster")
		case next.Flags.Kube.Elsewhere():
			return nil, errors.New("server or login were given by flags, for one cluster; start Rung again for another")
		}
		cfg, err := next.Config(ctx, false, true)
		if err != nil {
			return nil, err
		}
		cfg.Screen = true
		e, err := engine.New(ctx, cfg)
		if err != nil {
			return nil, err
		}
		open.replace(e)
		return e, nil
	}
}
