package cli

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"rung/engine"

	"rung/model"
)

// serveMetrics answers for metrics and health until stop is called.
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

// tellEvents says everything that happens, a line each, until ctx ends.
func tellEvents(ctx context.Context, e *engine.Engine, log *slog.Logger) {
	ticks, stop := e.Subscribe()
	defer stop()
	later := time.NewTimer(time.Hour)
	defer later.Stop()
	said := eventTeller{log: log, zones: map[string]zoneReport{}, sources: map[string]sourceReport{},
		refused: map[string]string{}, unwritten: map[string]unwrittenReport{}}
	for news := true; ; {
		if again := said.tellNews(e, news); again > 0 {
			later.Reset(again)
		} else {
			later.Stop()
		}
		select {
		case <-ctx.Done():
			said.tellNews(e, true)
			return
		case <-ticks:
			news = true
		case <-later.C:
			news = false
		}
	}
}

// eventTeller remembers what it has said, so that a state is said once.
type eventTeller struct {
	log     *slog.Logger
	seq     uint64
	loaded  bool
	zones   map[string]zoneReport
	sources map[string]sourceReport
	// refused holds what was last said of each resource that may not be read, settings of those
	// of OVN-Kubernetes.
	refused  map[string]string
	settings string
	// unwritten holds the last report about each zone's policies that are not written.
	unwritten map[string]unwrittenReport
}

type unwrittenReport struct {
	at   time.Time
	what map[engine.UnwrittenPart]bool
	due  bool // there was news since
}

type zoneReport struct {
	conn           model.ConnState
	paused, note   string
	writes, held   bool
	epoch          int64
	errText, other string
}

type sourceReport struct {
	conn model.ConnState
	text string
}

// tellNews says what is new; news says that there may be something. It says besides after
// which time to look again, for what is not looked at so often, or 0.
func (t *eventTeller) tellNews(e *engine.Engine, news bool) (again time.Duration) {
	r := e.Revision()
	for _, s := range r.Sources {
		if now := (sourceReport{s.Conn, s.Error}); t.sources[s.Name] != now {
			t.sources[s.Name] = now
			t.log.Log(context.Background(), troubleLevel(s.Error), "source", "name", s.Name, "state", string(s.Conn), "err", s.Error)
		}
		t.tellRefused(s)
	}
	if problem := r.Dialects.ConfigProblem(); t.settings != problem {
		t.settings = problem
		t.log.Log(context.Background(), troubleLevel(problem), "settings of OVN-Kubernetes", "err", problem)
	}
	if r.Loaded && !t.loaded {
		t.loaded = true
		t.log.Info("objects read", "pods", r.Cluster.Count(model.KindPod), "policies",
			r.Cluster.Count(model.KindANP)+r.Cluster.Count(model.KindBANP))
	}
	for _, z := range r.Zones {
		now := zoneReport{conn: z.Conn, paused: z.Paused, note: z.Note, writes: z.Writes, held: z.RowsHeld, epoch: z.Epoch,
			errText: z.Error, other: z.Foreign}
		if t.zones[z.Name] != now {
			t.zones[z.Name] = now
			t.log.Log(context.Background(), zoneLevel(z), "zone", "zone", z.Name, "state", string(z.Conn),
				"writes", z.Writes,
				"held", z.RowsHeld, "holder", z.Writer, "epoch", z.Epoch, "paused", z.Paused, "note", z.Note, "err", z.Error)
		}
	}
	again = t.tellUnwritten(r.Zones, news, time.Now(), e.Health().UnwrittenIn)
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

// tellRefused says which resources the source can do without, and may not read.
func (t *eventTeller) tellRefused(s model.SourceState) {
	for _, r := range s.Resources {
		name, problem := s.Name+" "+r.Name, ""
		if r.Optional && r.Conn == model.ConnDenied {
			problem = r.Error
			if r.Rows && !r.WasRead {
				problem = "no row is written before it was read: " + problem
			}
		}
		if t.refused[name] == problem {
			continue
		}
		t.refused[name] = problem
		t.log.Log(context.Background(), troubleLevel(problem), "resource", "name", r.Name, "state", string(r.Conn), "err", problem)
	}
}

// tellUnwritten is tellNews for what is not written, which is looked for in each zone at
// most every unwrittenEvery.
func (t *eventTeller) tellUnwritten(zones []*model.ZoneState, news bool, now time.Time,
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
		t.unwritten[z.Name] = unwrittenReport{at: now, what: t.tellLeftOut(z.Name, was.what, of(z))}
	}
	return again
}

const (
	unwrittenEvery = time.Second // how often it is looked for what is not written, at most
	unwrittenLines = 20          // of one zone at one look
)

// tellLeftOut says what is not written, when that begins and when it ends, and returns
// what there is.
func (t *eventTeller) tellLeftOut(zone string, was map[engine.UnwrittenPart]bool,
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
		t.log.Info("no longer left unwritten", "zone", zone, "count", over, "still", len(now))
	}
	return is
}

// zoneLevel returns the severity of a zone's line. The steps of a start are no trouble.
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
