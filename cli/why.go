package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/logs"
	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
)

// streamsWithin limits the wait for streams of the nodes' logs.
const streamsWithin = 10 * time.Second

func logsWhy(ctx context.Context, a *command.App, name string) error {
	cfg, err := a.EngineConfig(ctx, false, true)
	if err != nil {
		return err
	}
	if paths := a.Flags.Log.Paths; len(paths) > 0 {
		cfg.LogFiles = logs.Files{Stdin: a.In, Only: true}
		if err := a.Flags.Log.SetLogFiles(ctx, &cfg); err != nil {
			return err
		}
	}
	// A one-shot command must not take zones from the process that keeps them.
	cfg.Reconcile, cfg.Mode.Reconciles = false, cfg.Mode.Sandbox
	done := command.ZonesSettled()
	known := func(r *revision.Revision) bool { // a cluster's zones may be out of reach
		return len(r.Zones) == 0 && (r.Mode.Name == revision.ClusterMode || r.Cluster.Count(model.KindNode) == 0) || done(r)
	}
	return a.WithConfig(ctx, cfg, known, func(e *engine.Engine, r *revision.Revision) error {
		k, err := command.PolicyNamed(r, name)
		if err != nil {
			return err
		}
		e.Logs().AskForLines()
		if len(cfg.LogFiles.Paths) > 0 {
			select {
			case <-e.Logs().EndOfLines():
			case <-ctx.Done():
			}
		} else {
			streamsSettle(ctx, a, e)
		}
		about := logs.Subject{Policy: k}
		checks := append(logs.CheckSteps(e.Logs(), e.Revision(), about), logs.OverruledChecks(ctx, e.Revision(), about)...)
		return a.ConcludeAnswer(&command.Answer{
			Value:         checks,
			Text:          func(bool) string { return strings.Join(page.MapList(checks, logs.Check.TextLine), "\n") + "\n" },
			No:            slices.ContainsFunc(checks, func(c logs.Check) bool { return c.State == logs.Wrong }),
			NotConsidered: revision.OmissionsOfPolicy(e.Revision(), k),
		})
	})
}

// streamsSettle waits until every stream of a cluster's logs is open or has an error.
func streamsSettle(ctx context.Context, a *command.App, e *engine.Engine) {
	if e.Revision().Mode.Name != revision.ClusterMode {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, streamsWithin)
	defer cancel()
	for ctx.Err() == nil {
		streams := e.Logs().Streams()
		opening := len(streams) == 0
		for i := range streams {
			opening = opening || !streams[i].IsUp() && streams[i].Error == ""
		}
		if !opening {
			return
		}
		command.Pause(ctx, command.WatchPause)
	}
}

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
	cfg, err := a.EngineConfig(ctx, false, false)
	if err != nil {
		return err
	}
	if cfg.Kube == nil {
		return logs.ErrNotOnCluster
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
			fmt.Fprintf(a.Err, "rung: %s of the newest %s lines of %s mention %s\n", words.Thousands(len(log.Lines)), words.Thousands(log.Read),
				log.Source,
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
