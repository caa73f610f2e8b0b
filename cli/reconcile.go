package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/zones"
)

type reconcileFlags struct {
	serviceFlags
	zones   []string
	noLease bool
	lease   zones.LeaseConfig
	own     zones.OwnerOptions
	admin   bool
}

func ReconcileCommand(a *command.App) *cobra.Command {
	f := &reconcileFlags{}
	cmd := &cobra.Command{
		Use:   "reconcile",
		Short: "Write the rows of zones that nothing else writes, for labs",
		Long: `Keep the rows of policies in the --nb databases as OVN-Kubernetes would write them,
and report Ready-In-Zone conditions and events to the API server.

It is for labs. It refuses to write to a zone if an ovnkube-controller runs there, or
may, or if other programs change its rows. A Lease per zone decides which replica
writes; an epoch in NB_Global keeps a paused replica from writing after another took
over. With -f there is only the epoch, no Lease.

It runs until SIGTERM and logs what it does to stderr. Exit codes: 0 after a clean
stop, 2 for a configuration that cannot work.`,
		Example: `  rung reconcile --nb ovn-worker=unix:/var/run/ovn/ovnnb_db.sock --zone ovn-worker
  rung reconcile --nb tcp:10.0.0.5:6641 --lease-namespace rung
  rung reconcile -f examples/ --nb unix:/tmp/nb.sock --i-know-that-nobody-else-writes-these-rows`,
		Args:        command.TakesArgs(0),
		Annotations: command.WithoutAnswer(),
		RunE:        func(cmd *cobra.Command, _ []string) error { return runReconciler(cmd.Context(), a, f) },
	}
	f.register(cmd.Flags())
	return cmd
}

// nobodyElse is long on purpose, to make the user check first.
const nobodyElse = "i-know-that-nobody-else-writes-these-rows"

func (f *reconcileFlags) register(p *pflag.FlagSet) {
	p.StringArrayVar(&f.zones, "zone", nil,
		"`ZONE` to write (repeatable; default those of --nb); $(NODE_NAME) is expanded from the environment")
	p.BoolVar(&f.own.SoleWriter, nobodyElse, false, "write even if an ovnkube-controller runs, or may run, for the zone")
	p.BoolVar(&f.admin, "enable-admin-network-policy", true,
		"write and report AdminNetworkPolicies and the baseline; false leaves their rows alone")
	f.serviceFlags.register(p, "127.0.0.1:9477")
	p.BoolVar(&f.noLease, "no-lease", false, "write without a Lease: for a single replica, fenced only by the epoch")
	p.StringVar(&f.lease.Namespace, "lease-namespace", "rung", "`NAMESPACE` of the Leases, one per zone")
	p.DurationVar(&f.lease.Duration, "lease-duration", 15*time.Second,
		"`TIME` that replicas wait for a leader that stopped renewing its Lease")
	p.DurationVar(&f.lease.RenewDeadline, "renew-deadline", 10*time.Second,
		"`TIME` that a leader tries to renew its Lease before it stops writing")
	p.DurationVar(&f.lease.RetryPeriod, "retry-period", 2*time.Second, "`TIME` between attempts to get or renew a Lease")
	p.StringVar(&f.lease.Identity, "identity", "",
		"`NAME` of this replica; a suffix makes it unique at every start (default the host name)")
}

func reconcileConfig(ctx context.Context, a *command.App, f *reconcileFlags) (engine.Config, error) {
	if a.Flags.ReadOnly {
		return engine.Config{}, errors.New("--readonly: reconcile only writes rows; leave one of the two out")
	}
	if len(a.Flags.NB) == 0 {
		return engine.Config{}, errors.New("give --nb [zone=]ADDR with tcp:, ssl: or unix:; rows are never written through exec")
	}
	cfg, err := a.EngineConfig(ctx, false, true)
	if err != nil {
		return cfg, err
	}
	if cfg.ReadOnly {
		return cfg, fmt.Errorf("%s: reconcile only writes rows", cfg.WhyReadOnly)
	}
	for zone, addr := range cfg.NB {
		if scheme, _, _ := strings.Cut(addr, ":"); scheme != "unix" && scheme != "tcp" && scheme != "ssl" {
			if zone != addr {
				addr = zone + "=" + addr
			}
			return cfg, fmt.Errorf("--nb %s: rows are only written through tcp:, ssl: or unix: endpoints", addr)
		}
	}
	if cfg.NB, err = chosenDatabases(cfg.NB, f.zones); err != nil {
		return cfg, err
	}
	cfg.Reconcile, cfg.Mode.Reconciles, cfg.Writes, cfg.Writer = true, true, false, nil
	cfg.Own = f.own
	cfg.Own.Report = cfg.Kube != nil
	cfg.Own.WithoutAdmin = !f.admin
	if f.lease.Identity != "" {
		cfg.Own.Writer = zones.WriterName(f.lease.Identity)
	}
	if cfg.Kube != nil && !f.noLease {
		lease := f.lease
		lease.Identity = cfg.Own.Writer
		cfg.Own.Lease = &lease
	}
	return cfg, nil
}

// chosenDatabases returns the databases of the named zones, or all without names. A single database without a
// zone is that of a single named zone.
func chosenDatabases(nb map[string]string, zones []string) (map[string]string, error) {
	if len(zones) == 0 {
		return nb, nil
	}
	out := map[string]string{}
	for _, z := range zones {
		zone := os.Expand(strings.ReplaceAll(strings.ReplaceAll(z, "$(", "${"), ")", "}"), os.Getenv)
		if strings.TrimSpace(zone) == "" {
			return nil, fmt.Errorf("--zone %s: is empty; is the variable set?", z)
		}
		addr, ok := nb[zone]
		if !ok && len(zones) == 1 && len(nb) == 1 {
			for name, only := range nb {
				if name == only {
					addr, ok = only, true
				}
			}
		}
		if !ok {
			return nil, fmt.Errorf("--zone %s: has no database; add --nb %s=ADDR", zone, zone)
		}
		out[zone] = addr
	}
	return out, nil
}

// runReconciler runs until ctx ends.
func runReconciler(ctx context.Context, a *command.App, f *reconcileFlags) error {
	return f.runService(ctx, a, func() (engine.Config, error) { return reconcileConfig(ctx, a, f) },
		func(e *engine.Engine, log *slog.Logger) []any { return []any{"writer", e.Owners().WriterName()} }, nil)
}
