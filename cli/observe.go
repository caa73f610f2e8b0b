package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/verify"
	"rung/model/words"
	"rung/revision"
)

type observeFlags struct {
	serviceFlags
	agent   engine.AgentConfig
	cluster bool
	expect  []string
}

func ObserveCommand(a *command.App) *cobra.Command {
	f := &observeFlags{}
	cmd := &cobra.Command{
		Use:   "observe",
		Short: "Judge the rows of a node, or of the cluster, and publish what differs",
		Long: `Run without a screen and without rights to write, and say what differs: as metrics, and
on a cluster as one small ZoneReport object for each node, which consoles read instead
of running programs in pods.

On a node it reads the database given by --nb, and judges its rows as the console does.
With --whole-cluster it reads the reports of all nodes instead, counts the findings, and judges
the expectations of --expect; of several replicas one does that.

It runs until SIGTERM and logs what it does to stderr. Exit codes: 0 after a clean
stop, 2 for a configuration that cannot work.`,
		Example: `  rung observe --nb ovn-worker=unix:/var/run/ovn/ovnnb_db.sock
  rung observe --whole-cluster --expect expectations.yaml
  rung observe -f examples/ --nb n1=unix:/tmp/nb.sock --metrics-address 127.0.0.1:9478`,
		Args:        command.TakesArgs(0),
		Annotations: command.WithoutAnswer(),
		RunE:        func(cmd *cobra.Command, _ []string) error { return runObserver(cmd.Context(), a, f) },
	}
	f.register(cmd.Flags())
	cmd.MarkFlagsMutuallyExclusive("whole-cluster", "zone")
	return cmd
}

func (f *observeFlags) register(p *pflag.FlagSet) {
	f.serviceFlags.register(p, "127.0.0.1:9478")
	p.StringVar(&f.agent.Zone, "zone", "", "`ZONE` of the report (default the one of --nb); $(NODE_NAME) is expanded from the environment")
	p.BoolVar(&f.cluster, "whole-cluster", false, "read the reports of all nodes, and judge the whole cluster")
	p.StringArrayVar(&f.expect, "expect", nil, "`FILE` of expectations to judge, with --whole-cluster (repeatable)")
	p.StringVar(&f.agent.Namespace, "report-namespace", "rung", "`NAMESPACE` of the Leases that keep reports valid")
	p.DurationVar(&f.agent.Every, "report-every", 20*time.Second,
		"`TIME` between two signs of life; after three of them without one, readers call an agent silent")
	p.StringVar(&f.agent.Name, "agent", "", "`NAME` of this agent, unlike all others (default the host name, in a pod its name)")
}

// observeConfig returns the configuration of an engine that only reads.
func observeConfig(ctx context.Context, a *command.App, f *observeFlags) (engine.Config, error) {
	switch {
	case f.cluster && len(a.Flags.NB) > 0:
		return engine.Config{}, errors.New("--whole-cluster reads the reports of node agents: leave --nb out")
	case !f.cluster && len(a.Flags.NB) == 0:
		return engine.Config{}, errors.New("give --nb [zone=]ADDR of this node's database, or --whole-cluster")
	case !f.cluster && len(f.expect) > 0:
		return engine.Config{}, errors.New("--expect goes with --whole-cluster")
	case f.agent.Every < time.Second:
		return engine.Config{}, fmt.Errorf("--report-every %v: want at least 1s", f.agent.Every)
	}
	cfg, err := a.EngineConfig(ctx, false, !f.cluster)
	if err != nil {
		return cfg, err
	}
	cfg.ReadOnly, cfg.WhyReadOnly, cfg.Writes, cfg.Writer, cfg.Reconcile = true, "rung observe only reads", false, nil, false
	cfg.StateDir, cfg.KeepCounts, cfg.LogFiles.Only = "", false, true
	if f.cluster {
		if cfg.Kube == nil {
			return cfg, errors.New("--whole-cluster needs a cluster, not files")
		}
		cfg.UseAgentsOnly()
		return cfg, nil
	}
	var only []string
	if f.agent.Zone != "" {
		only = []string{f.agent.Zone}
	}
	if cfg.NB, err = chosenDatabases(cfg.NB, only); err != nil {
		return cfg, err
	}
	names := slices.Collect(maps.Keys(cfg.NB))
	if len(names) != 1 {
		return cfg, fmt.Errorf("--nb: %s, and an agent reports on one; choose it with --zone", words.Count(len(names), "database"))
	}
	if cfg.Kube != nil && (names[0] == "" || names[0] == cfg.NB[names[0]]) {
		return cfg, errors.New("--nb: write the zone before the address, ZONE=ADDR: the report is named like it")
	}
	f.agent.Zone = names[0]
	return cfg, nil
}

// runObserver runs until ctx ends.
func runObserver(ctx context.Context, a *command.App, f *observeFlags) error {
	var cfg engine.Config
	config := func() (_ engine.Config, err error) {
		cfg, err = observeConfig(ctx, a, f)
		return cfg, err
	}
	f.agent.Name, f.agent.Version = cmp.Or(f.agent.Name, engine.AgentName()), a.Version
	begun := func(e *engine.Engine, log *slog.Logger) []any {
		if f.cluster {
			e.MeasureCluster(f.agent, log, func(ctx context.Context, r *revision.Revision) (engine.ExpectationsMet, error) {
				return judgeObserved(ctx, a, f.expect, r)
			})
		} else {
			e.MeasurePolicies(f.agent, log)
		}
		return []any{"agent", f.agent.Name}
	}
	return f.runService(ctx, a, config, begun, func(ctx context.Context, e *engine.Engine) error {
		switch {
		case f.cluster:
			return e.RunClusterObserver(ctx)
		case cfg.Kube == nil:
			<-ctx.Done()
			return nil
		}
		return e.RunAgent(ctx)
	})
}

// judgeObserved judges the expectations in files, which are read anew every time: a ConfigMap may change.
func judgeObserved(ctx context.Context, a *command.App, files []string, r *revision.Revision) (out engine.ExpectationsMet, err error) {
	files = slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		_, err := a.ReadGiven(ctx, file, maxExpectations)
		return errors.Is(err, fs.ErrNotExist) // nobody expects anything yet
	})
	asked, err := ReadExpectations(ctx, a, files)
	if err != nil {
		return out, err
	}
	results, problems, err := verify.JudgeStatements(ctx, r, asked.statements, verify.Options{Now: r.At})
	if err != nil {
		return out, fmt.Errorf("judge the expectations: %w", err)
	}
	for _, p := range append(slices.Clone(asked.problems), problems...) {
		out.Problems = append(out.Problems, p.Error())
	}
	for i := range results {
		out.AddResult(results[i].Title(), results[i].Holds)
	}
	return out, nil
}
