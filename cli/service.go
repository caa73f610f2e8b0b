package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/klog/v2"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/words"
)

// serviceFlags are the flags of commands without a screen, such as rung reconcile, which run until SIGTERM.
type serviceFlags struct {
	metrics  string
	log      string
	logLevel slog.Level
}

func (f *serviceFlags) register(p *pflag.FlagSet, metrics string) {
	p.StringVar(&f.metrics, "metrics-address", metrics, "`ADDRESS` for /metrics, /healthz and /readyz; empty for none")
	p.StringVar(&f.log, "log-format", "text", "`FORMAT` of the log on stderr: text or json")
	p.TextVar(&f.logLevel, "log-level", slog.LevelInfo, "least `SEVERITY` to log: debug, info, warn or error")
}

func (f *serviceFlags) newLogger(a *command.App) (*slog.Logger, error) {
	opt := &slog.HandlerOptions{Level: f.logLevel, ReplaceAttr: command.WithoutLogins}
	switch f.log {
	case "text":
		return slog.New(slog.NewTextHandler(a.Err, opt)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(a.Err, opt)), nil
	}
	return nil, fmt.Errorf("--log-format %q: want text or json", f.log)
}

// runService runs an engine until ctx ends: it logs what happens, and serves metrics and health. begun is called before
// that, and returns what the first line says too. work, if set, runs meanwhile, and its error ends the service.
func (f *serviceFlags) runService(ctx context.Context, a *command.App, config func() (engine.Config, error),
	begun func(*engine.Engine, *slog.Logger) []any, work func(context.Context, *engine.Engine) error) error {
	log, err := f.newLogger(a)
	if err != nil {
		return err
	}
	cfg, err := config()
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
	said := begun(e, log)
	log.Info("started", append([]any{"mode", cfg.Mode.Name, "on", words.CleanText(cfg.Mode.Title), "zones", len(cfg.NB)}, said...)...)
	for _, n := range e.Notices() {
		log.Warn("state", "what", words.CleanText(n))
	}
	if listener != nil {
		log.Info("serving", "address", listener.Addr().String())
		stop := serveMetrics(e, listener, log)
		defer stop()
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	worked := make(chan error, 1)
	go func() {
		if work == nil {
			<-ctx.Done()
			worked <- nil
			return
		}
		err := work(ctx, e)
		if err != nil {
			end()
		}
		worked <- err
	}()
	logEvents(ctx, e, log)
	log.Info("stopping")
	return <-worked
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
