// Rung is a terminal console for operators of AdminNetworkPolicy on OVN-Kubernetes.
package main

import (
	"context"
	"os"

	"rung/cli"
	"rung/engine"
	"rung/ui"
	"rung/ui/nav"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, showConsole)) }

// showConsole shows an engine in the console.
func showConsole(ctx context.Context, e *engine.Engine, o cli.ScreenOptions) error {
	cfg := ui.ParseFile(o.ConfigPath, o.Config)
	cfg.OverrideBy(o.Theme, o.Color, o.ASCII, o.NoMouse)
	opt := ui.Options{Config: cfg, StateDir: o.StateDir, Notices: o.Notices, OnAway: o.OnAway, ReadInput: o.ReadInput}
	switch {
	case o.View != "":
		var err error
		if opt.Page, err = cfg.FindView(o.View); err != nil {
			return err
		}
	case o.Page != "":
		opt.Page = nav.NewPage(nav.PageKind(o.Page))
	}
	if o.Switch != nil {
		opt.Switch = func(ctx context.Context, name string) (ui.Console, error) { return o.Switch(ctx, name) }
	}
	return ui.Run(ctx, e, opt)
}
