package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"rung/model"
	"rung/reconciler"
	"rung/revision"
	"rung/sources/kube"
	"rung/sources/retry"
)

// ExpectationsMet says which expectations hold.
type ExpectationsMet struct {
	Held     int
	Broken   []string // names
	Problems []string // expectations that cannot be read or judged
}

// AddResult adds the result of an expectation.
func (m *ExpectationsMet) AddResult(name string, holds bool) {
	if holds {
		m.Held++
	} else {
		m.Broken = append(m.Broken, name)
	}
}

// UseAgentsOnly reads zones by the reports of node agents, and in no other way.
func (c *Config) UseAgentsOnly() {
	c.ExecZones, c.AgentZones = false, true
	c.MakeZone = func(string) (reconciler.Zone, error) {
		return nil, errors.New("no node agent reports on it, and rows are not read in another way here")
	}
}

// clusterObserver measures the whole cluster, while it leads.
type clusterObserver struct {
	e      *Engine
	cfg    AgentConfig
	log    *slog.Logger
	expect func(context.Context, *revision.Revision) (ExpectationsMet, error)

	mu    sync.Mutex
	leads bool
	found map[findingCount]int
	met   ExpectationsMet
	judge string // why expectations could not be judged
}

type findingCount struct{ code, severity string }

// observeRest is the shortest time between two judgements of the whole cluster.
const observeRest = 10 * time.Second

var (
	findingsCounted  = metricDesc("rung_findings", "Findings about the cluster, by code and severity.", "code", "severity")
	expectations     = metricDesc("rung_expectations", "Expectations by result: held, broken, or unknown if it cannot be judged.", "result")
	expectationBroke = metricDesc("rung_expectation_broken", "1 for an expectation that does not hold; at most 100.", "name")
	agentsByState    = metricDesc("rung_agents", "Zones by what their node agents say: fresh, silent, or missing.", "state")
	observerLeads    = metricDesc("rung_observe_leader", "1 while this replica judges the cluster.")
	agentSilent      = metricDesc("rung_agent_silent_seconds", "How long the agent of a zone has been silent; at most 100, the longest first.",
		"zone")
)

// MeasureCluster adds metrics of the whole cluster to the engine's: see RunClusterObserver. It is called once, before
// the first scrape.
func (e *Engine) MeasureCluster(cfg AgentConfig, log *slog.Logger,
	expect func(context.Context, *revision.Revision) (ExpectationsMet, error)) {
	e.health.observer = &clusterObserver{e: e, cfg: cfg, log: log, expect: expect}
}

// RunClusterObserver judges the cluster while this replica holds the Lease, until ctx ends.
func (e *Engine) RunClusterObserver(ctx context.Context) error {
	o := e.health.observer
	lease := o.cfg.leaseConfig()
	lease.Prefix = "rung-observe-"
	last := ""
	err := e.cfg.Kube.CampaignForZone(ctx, "cluster", lease, kube.LeaseCalls{
		Lead: func(ctx context.Context) {
			o.log.Info("judges the cluster", "replica", o.cfg.Name)
			o.judgeRevisions(ctx)
		},
		Other: func(string) {},
		Trouble: func(err error) {
			if text := err.Error(); text != last {
				last = text
				o.log.Warn("lease", "err", text)
			}
		},
	})
	if err != nil {
		return fmt.Errorf("judge the cluster: %w", err)
	}
	return nil
}

func (o *clusterObserver) judgeRevisions(ctx context.Context) {
	ticks, stop := o.e.Subscribe()
	defer stop()
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.leads, o.found, o.met = false, nil, ExpectationsMet{}
	}()
	for ok := true; ok; ok = retry.Await(ctx, ticks) {
		r := o.e.Revision()
		if !r.Loaded {
			continue
		}
		all, err := revision.AllFindings(r, ctx)
		if err != nil {
			continue // the context ended
		}
		found := map[findingCount]int{}
		for _, f := range all {
			found[findingCount{f.Code, string(f.Severity)}]++
		}
		met, err := o.expect(ctx, r)
		if ctx.Err() != nil {
			return
		}
		why := ""
		if err != nil {
			why = err.Error()
		}
		o.mu.Lock()
		if why != "" && why != o.judge {
			o.log.Warn("expectations", "err", why)
		}
		for _, p := range met.Problems {
			if !slices.Contains(o.met.Problems, p) {
				o.log.Warn("expectations", "err", p)
			}
		}
		o.leads, o.found, o.met, o.judge = true, found, met, why
		o.mu.Unlock()
		if !retry.Sleep(ctx, observeRest) {
			return
		}
	}
}

// collect sends the metrics; a replica without the Lease has one.
func (o *clusterObserver) collect(r *revision.Revision, now time.Time, gauge func(*prometheus.Desc, float64, ...string)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	gauge(observerLeads, boolGauge(o.leads))
	if !o.leads {
		return
	}
	for c, n := range o.found {
		gauge(findingsCounted, float64(n), c.code, c.severity)
	}
	gauge(expectations, float64(o.met.Held), "held")
	gauge(expectations, float64(len(o.met.Broken)), "broken")
	gauge(expectations, float64(len(o.met.Problems)+int(boolGauge(o.judge != ""))), "unknown")
	names := slices.Compact(slices.Sorted(slices.Values(o.met.Broken)))
	for _, name := range names[:min(len(names), seriesDiffers)] {
		gauge(expectationBroke, 1, name)
	}
	var silent []*model.ZoneState
	fresh, missing := 0, 0
	for _, z := range r.Zones {
		switch {
		case z.Agent != "":
			fresh++
		case z.SyncedAt.IsZero():
			missing++
		default:
			silent = append(silent, z)
		}
	}
	gauge(agentsByState, float64(fresh), "fresh")
	gauge(agentsByState, float64(len(silent)), "silent")
	gauge(agentsByState, float64(missing), "missing")
	slices.SortFunc(silent, func(a, b *model.ZoneState) int { return a.SyncedAt.Compare(b.SyncedAt) })
	for _, z := range silent[:min(len(silent), seriesDiffers)] {
		gauge(agentSilent, now.Sub(z.SyncedAt).Seconds(), z.Name)
	}
}
