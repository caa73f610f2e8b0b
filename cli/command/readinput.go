package command

import (
	"context"
	"errors"

	"rung/engine"
	"rung/revision"
)

// ReadInputFully reads an input completely while a console runs. It prints, keeps and changes nothing, reads no
// zone, and closes its engine before it returns.
func ReadInputFully(ctx context.Context, a *App, input string) (*revision.Revision, error) {
	if input == "-" {
		return nil, errors.New("standard input is the keyboard here")
	}
	side, err := ForInput(a, input)
	if err != nil {
		return nil, err
	}
	side.Needs, side.Flags.Kube.reconcile = NeedNothing, false
	for _, path := range side.Flags.Files {
		if err := engine.CheckInput(ctx, path); err != nil {
			return nil, err
		}
	}
	cfg, err := side.EngineConfig(ctx, false, false)
	if err != nil {
		return nil, err
	}
	cfg.Mode.Simulated, cfg.Reconcile, cfg.StateDir = false, false, ""
	e, err := engine.New(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	ready := func(*revision.Revision) bool { return true }
	if err := awaitRead(ctx, side, e, ready, func(string) {}); err != nil {
		return nil, err
	}
	return e.Revision(), nil
}
