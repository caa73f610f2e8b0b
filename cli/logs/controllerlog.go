package logs

import (
	"context"
	"fmt"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/logs/controllerlog"
	"rung/pages/page"
	"rung/revision"
)

// controllerLineOut is a line of an ovnkube-controller about a policy.
type controllerLineOut struct {
	At       string `json:"at"`
	Zone     string `json:"zone"`
	Policy   string `json:"policy"`
	Severity string `json:"severity,omitempty"`
	Place    string `json:"place,omitempty"`
	Text     string `json:"text"`
}

// controllerLog prints what a zone's ovnkube-controller wrote about a policy.
func controllerLog(ctx context.Context, a *command.App, zone, name string) error {
	cfg, err := a.Config(ctx, false, false)
	if err != nil {
		return err
	}
	if cfg.Kube == nil {
		return controllerlog.ErrNotOnCluster
	}
	loaded := func(*revision.Revision) bool { return true }
	return a.WithConfig(ctx, cfg, loaded, func(e *engine.Engine, r *revision.Revision) error {
		k, err := command.PolicyNamed(r, name)
		if err != nil {
			return err
		}
		if r.Cluster.Node(zone) == nil {
			return fmt.Errorf("no node %q; nodes: %s", zone, command.NodeNames(r.Cluster))
		}
		log, err := e.ControllerLog(ctx, zone, k)
		if err != nil {
			return err
		}
		if !a.Flags.Quiet {
			fmt.Fprintf(a.Err, "rung: %d of the newest %d lines of %s mention %s\n", len(log.Lines), log.Read, log.Source,
				k.Label())
		}
		for _, l := range log.Lines {
			o := controllerLineOut{At: page.StampText(l.At), Zone: zone, Policy: k.String(), Severity: l.Severity, Place: l.Place,
				Text: l.Text}
			if err := a.PrintItem(o, func(bool) string {
				return fmt.Sprintf("%s  %-7s %s  %s\n", o.At, l.Severity, l.Place, l.Text)
			}); err != nil {
				return err
			}
		}
		return nil
	})
}
