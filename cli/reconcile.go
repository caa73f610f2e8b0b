package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/klog/v2"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/zones"
	"rung/model"
	"rung/model/words"
)

type reconcileFlags struct {
	zones    []string
	metrics  string
	log      string
	noLease  bool
	lease    zones.LeaseConfig
	own      zones.OwnerOptions
	admin    bool
	logLevel slog.Level
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
	p.StringVar(&f.metrics, "metrics-address", "127.0.0.1:9477", "`ADDRESS` for /metrics, /healthz and /readyz; empty for none")
	p.BoolVar(&f.noLease, "no-lease", false, "write without a Lease: for a single replica, fenced only by the epoch")
	p.StringVar(&f.lease.Namespace, "lease-namespace", "rung", "`NAMESPACE` of the Leases, one per zone")
	p.DurationVar(&f.lease.Duration, "lease-duration", 15*time.Second,
		"`TIME` that replicas wait for a leader that stopped renewing its Lease")
	p.DurationVar(&f.lease.RenewDeadline, "renew-deadline", 10*time.Second,
		"`TIME` that a leader tries to renew its Lease before it stops writing")
	p.DurationVar(&f.lease.RetryPeriod, "retry-period", 2*time.Second, "`TIME` between attempts to get or renew a Lease")
	p.StringVar(&f.lease.Identity, "identity", "",
		"`NAME` of this replica; a suffix makes it unique at every start (default the host name)")
	p.StringVar(&f.log, "log-format", "text", "`FORMAT` of the log on stderr: text or json")
	p.TextVar(&f.logLevel, "log-level", slog.LevelInfo, "least `SEVERITY` to log: debug, info, warn or error")
}

func newLogger(a *command.App, f *reconcileFlags) (*slog.Logger, error) {
	opt := &slog.HandlerOptions{Level: f.logLevel, ReplaceAttr: command.WithoutLogins}
	switch f.log {
	case "text":
		return slog.New(slog.NewTextHandler(a.Err, opt)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(a.Err, opt)), nil
	}
	return nil, fmt.Errorf("--log-format %q: want text or json", f.log)
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
	log, err := newLogger(a, f)
	if err != nil {
		return err
	}
	cfg, err := reconcileConfig(ctx, a, f)
	if err != nil {
		return err
	}
	var listener net.Listener
	if f.metrics != "" {
		if listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", f.metrics); err != nil {
			return fmt.Errorf("--metrics-address %s: %w", f.metrics, err)
		}
		defer listener.Close()
	}
	klog.SetSlogLogger(log)
	defer command.QuietLibraries()
	command.SaveMemory()
	e, err := engine.New(ctx, cfg)
	if err != nil {
		return err
	}
	defer e.Close()
	log.Info("started", "mode", cfg.Mode.Name, "on", words.CleanText(cfg.Mode.Title), "zones", len(cfg.NB), "writer",
		e.Owners().WriterName())
	for _, n := range e.Notices() {
		log.Warn("state", "what", words.CleanText(n))
	}
	if listener != nil {
		log.Info("serving", "address", listener.Addr().String())
		stop := serveMetrics(e, listener, log)
		defer stop()
	}
	logEvents(ctx, e, log)
	log.Info("stopping")
	return nil
}

// serveMetrics serves metrics and health until stop is called.
func serveMetrics(e *engine.Engine, l net.Listener, log *slog.Logger) (stop func()) {
	s := &http.Server{Handler: e.Health().Handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
			log.Error("serve metrics", "err", err)
		}
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if s.Shutdown(ctx) != nil {
			_ = s.Close()
		}
		<-done
	}
}

// logEvents logs every event on a line until ctx ends.
func logEvents(ctx context.Context, e *engine.Engine, log *slog.Logger) {
	ticks, stop := e.Subscribe()
	defer stop()
	later := time.NewTimer(time.Hour)
	defer later.Stop()
	said := eventLogger{log: log, said: map[string]string{}, unwritten: map[string]unwrittenReport{}}
	for news := true; ; {
		if again := said.logNews(e, news); again > 0 {
			later.Reset(again)
		} else {
			later.Stop()
		}
		select {
		case <-ctx.Done():
			said.logNews(e, true)
			return
		case <-ticks:
			news = true
		case <-later.C:
			news = false
		}
	}
}

// eventLogger remembers logged states, to log each once.
type eventLogger struct {
	log  *slog.Logger
	seq  uint64
	said map[string]string // last state of each source, resource, zone and the like
	// Last report about each zone's policies that are not written.
	unwritten map[string]unwrittenReport
}

type unwrittenReport struct {
	at   time.Time
	what map[engine.UnwrittenPart]bool
	due  bool // there was news since
}

// isNew keeps the state of a thing, and reports whether it differs from the last one, at first "".
func (t *eventLogger) isNew(thing, state string) bool {
	was := t.said[thing]
	t.said[thing] = state
	return was != state
}

// logNews logs what is new; news says that there may be something. It returns how long until some unwritten
// policies have to be checked again, or 0.
func (t *eventLogger) logNews(e *engine.Engine, news bool) (again time.Duration) {
	r := e.Revision()
	for _, s := range r.Sources {
		if t.isNew("source "+s.Name, string(s.Conn)+": "+s.Error) {
			t.log.Log(context.Background(), troubleLevel(s.Error), "source", "name", s.Name, "state", string(s.Conn), "err", s.Error)
		}
		t.logRefused(s)
	}
	if problem := r.Dialects.ConfigProblem(); t.isNew("settings", problem) {
		t.log.Log(context.Background(), troubleLevel(problem), "settings of OVN-Kubernetes", "err", problem)
	}
	if r.Loaded && t.isNew("objects", "read") {
		t.log.Info("objects read", "pods", r.Cluster.Count(model.KindPod), "policies",
			r.Cluster.Count(model.KindANP)+r.Cluster.Count(model.KindBANP))
	}
	for _, z := range r.Zones {
		if t.isNew("zone "+z.Name, fmt.Sprintf("%q", []any{z.Conn, z.Paused, z.Note, z.Writes, z.RowsHeld, z.Epoch, z.Error, z.Foreign})) {
			t.log.Log(context.Background(), zoneLevel(z), "zone", "zone", z.Name, "state", string(z.Conn),
				"writes", z.Writes,
				"held", z.RowsHeld, "holder", z.Writer, "epoch", z.Epoch, "paused", z.Paused, "note", z.Note, "err", z.Error)
		}
	}
	again = t.logUnwritten(r.Zones, news, time.Now(), e.Health().UnwrittenIn)
	for _, a := range e.Activity(t.seq) {
		t.seq = a.Seq
		if a.Rail != "" {
			t.log.Warn(a.Summary, "by", a.By)
			continue
		}
		t.log.Log(context.Background(), troubleLevel(a.Error), a.Summary, "zone", a.Zone, "by", a.By, "ops", a.Ops, "took",
			a.Took.Round(time.Microsecond), "err", a.Error)
	}
	return again
}

// logRefused logs optional resources that the source may not read.
func (t *eventLogger) logRefused(s model.SourceState) {
	for _, r := range s.Resources {
		name, problem := s.Name+" "+r.Name, ""
		if r.Optional && r.Conn == model.ConnDenied {
			problem = r.Error
			if r.Rows && !r.WasRead {
				problem = "no row is written before it was read: " + problem
			}
		}
		if t.isNew("resource "+name, problem) {
			t.log.Log(context.Background(), troubleLevel(problem), "resource", "name", r.Name, "state", string(r.Conn), "err", problem)
		}
	}
}

// logUnwritten is logNews for unwritten policies, checked in each zone at most once every unwrittenEvery.
func (t *eventLogger) logUnwritten(zones []*model.ZoneState, news bool, now time.Time,
	of func(*model.ZoneState) []engine.UnwrittenPart) (again time.Duration) {
	for _, z := range zones {
		was := t.unwritten[z.Name]
		was.due = was.due || news
		if !was.due {
			continue
		}
		if rest := unwrittenEvery - now.Sub(was.at); rest > 0 {
			if again == 0 || rest < again {
				again = rest
			}
			t.unwritten[z.Name] = was
			continue
		}
		t.unwritten[z.Name] = unwrittenReport{at: now, what: t.logLeftOut(z.Name, was.what, of(z))}
	}
	return again
}

const (
	unwrittenEvery = time.Second // shortest time between checks for unwritten policies
	unwrittenLines = 20          // most lines for one zone and check
)

// logLeftOut logs when policies begin and cease to be unwritten, and returns the unwritten ones.
func (t *eventLogger) logLeftOut(zone string, was map[engine.UnwrittenPart]bool,
	now []engine.UnwrittenPart) map[engine.UnwrittenPart]bool {
	if len(was)+len(now) == 0 {
		return nil
	}
	is := make(map[engine.UnwrittenPart]bool, len(now))
	more := 0
	for _, u := range now {
		is[u] = true
		if was[u] {
			continue
		}
		more++
		if more <= unwrittenLines {
			t.log.Warn("not written", "zone", zone, "policy", u.Policy.String(), "reason", string(u.Why), "why", u.Text)
		}
	}
	if more > unwrittenLines {
		t.log.Warn("not written", "zone", zone, "more", more-unwrittenLines)
	}
	over := 0
	for u := range was {
		if !is[u] {
			over++
		}
	}
	if over > 0 {
		t.log.Info("written again", "zone", zone, "count", over, "still", len(now))
	}
	return is
}

// zoneLevel returns the severity of a zone's line. Starting up is not a problem.
func zoneLevel(z *model.ZoneState) slog.Level {
	if z.Starting {
		return troubleLevel(z.Error)
	}
	return troubleLevel(z.Error + z.Paused)
}

func troubleLevel(trouble string) slog.Level {
	if trouble != "" {
		return slog.LevelWarn
	}
	return slog.LevelInfo
}
