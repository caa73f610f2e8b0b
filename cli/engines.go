package cli

import (
	"context"
	"errors"
	"sync"

	"rung/cli/command"
	"rung/engine"
)

// openEngines holds the engines of a console: the shown one, and former ones still closing.
type openEngines struct {
	mu     sync.Mutex
	newest *engine.Engine
	ending sync.WaitGroup
	closed bool
}

// replaceEngine shows another engine and closes the former one, without waiting for it. If the screen is
// closed already, it closes e at once.
func (r *openEngines) replaceEngine(e *engine.Engine) {
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

func (r *openEngines) closeAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.newest.Close()
	r.ending.Wait()
}

// contextSwitcher opens other contexts with the flags of this run, but without the permission to make changes.
func contextSwitcher(a *command.App, open *openEngines) func(context.Context, string) (*engine.Engine, error) {
	return func(ctx context.Context, name string) (*engine.Engine, error) {
		next := command.ForContext(a, name)
		switch {
		case len(next.Flags.NB)+len(next.Flags.SB) > 0:
			return nil, errors.New("--nb and --sb name databases of one cluster; start Rung again for another cluster")
		case next.Flags.Kube.LeadsElsewhere():
			return nil, errors.New("server or login were given by flags, for one cluster; start Rung again for another")
		}
		cfg, err := next.EngineConfig(ctx, false, true)
		if err != nil {
			return nil, err
		}
		cfg.Screen = true
		e, err := engine.New(ctx, cfg)
		if err != nil {
			return nil, err
		}
		open.replaceEngine(e)
		return e, nil
	}
}
