package engine

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/sources/kube"
	"rung/sources/retry"
)

// AgentConfig says how an agent on a node publishes its report.
type AgentConfig struct {
	// Zone is the zone of the agent's node, Name the agent's own name, unlike all others in the cluster.
	Zone, Name string
	Version    string // of Rung
	// Namespace holds the Leases of agents.
	Namespace string
	// Every is the time between two signs of life. Readers take an agent for silent after three of them.
	Every time.Duration
}

const (
	// agentPrefix begins the names of the agents' Leases.
	agentPrefix = "rung-observe-node-"
	// reportGather is how long changes are gathered before a report: a policy's change and its rows make one.
	reportGather = time.Second
	// reportRest is the shortest time between two reports.
	reportRest = 10 * time.Second
	// reportMost is the longest time between two attempts to write a report, reportRefresh when one is written anew
	// although nothing changed.
	reportMost, reportRefresh = 5 * time.Minute, 10 * time.Minute
)

func (c *AgentConfig) leaseConfig() kube.LeaseConfig {
	return kube.LeaseConfig{Prefix: agentPrefix, Namespace: c.Namespace, Identity: c.Name, Duration: 3 * c.Every,
		RenewDeadline: 2*c.Every + c.Every/2, RetryPeriod: c.Every}
}

// agent publishes the report of a zone.
type agent struct {
	e   *Engine
	cfg AgentConfig
	log *slog.Logger

	mu              sync.Mutex
	written, failed uint64
	writtenAt       time.Time // of the newest report that the server took
	standby         string    // why another agent's report holds; empty for a leader
}

// MeasurePolicies adds metrics of policies and of an agent to the engine's: see RunAgent. It is called once, before
// the first scrape.
func (e *Engine) MeasurePolicies(cfg AgentConfig, log *slog.Logger) {
	e.health.times = newPolicyTimes()
	e.health.agent = &agent{e: e, cfg: cfg, log: log, standby: "the Lease is not held yet"}
	e.loop.Go(func() {
		ticks, stop := e.Subscribe()
		defer stop()
		for ok := true; ok; ok = retry.Await(e.loop.Context(), ticks) {
			e.health.times.takeRevision(e.Revision())
		}
	})
}

// RunAgent publishes the report of a zone until ctx ends, after MeasurePolicies. It needs a cluster. While another
// agent holds the zone's Lease, it waits.
func (e *Engine) RunAgent(ctx context.Context) error {
	a := e.health.agent
	cfg, log := a.cfg, a.log
	last := ""
	err := e.cfg.Kube.CampaignForZone(ctx, cfg.Zone, cfg.leaseConfig(), kube.LeaseCalls{
		Lead: func(ctx context.Context) {
			log.Info("reports", "zone", cfg.Zone, "agent", cfg.Name)
			a.setStandby("")
			defer a.setStandby("the Lease was lost")
			a.publishReports(ctx)
		},
		Other: func(holder string) {
			if holder != "" {
				a.setStandby("agent " + holder + " reports for this zone")
				log.Warn("another agent reports for this zone", "zone", cfg.Zone, "agent", holder)
			}
		},
		Trouble: func(err error) {
			if text := err.Error(); text != last {
				last = text
				log.Warn("lease", "err", text)
			}
		},
	})
	if err != nil {
		return fmt.Errorf("report on zone %s: %w", words.CleanText(cfg.Zone), err)
	}
	return nil
}

func (a *agent) setStandby(why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.standby = why
}

// publishReports writes a report whenever the agent's findings change.
func (a *agent) publishReports(ctx context.Context) {
	ticks, stop := a.e.Subscribe()
	defer stop()
	refresh := time.NewTicker(reportRefresh)
	defer refresh.Stop()
	var last *model.ZoneReport
	failures := 0
	for {
		if next := a.makeReport(); next == nil || next.SameFindings(last) {
			select {
			case <-ctx.Done():
				return
			case <-ticks:
			case <-refresh.C:
				last = nil // somebody may have changed or deleted it
			}
			continue
		}
		if !retry.Sleep(ctx, reportGather) {
			return
		}
		next := a.makeReport()
		if next == nil || next.SameFindings(last) {
			continue
		}
		err := a.e.cfg.Kube.WriteZoneReport(ctx, a.cfg.Zone, next)
		if ctx.Err() != nil {
			return
		}
		pause := reportRest
		if err == nil {
			last, failures = next, 0
		} else {
			failures++
			pause = retry.WaitAfter(failures, reportRest, reportMost)
			a.log.Warn("write the report", "err", err, "again_in", pause.Round(time.Second))
		}
		a.countReport(err)
		retry.Sleep(ctx, pause)
	}
}

func (a *agent) countReport(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		a.failed++
		return
	}
	a.written, a.writtenAt = a.written+1, time.Now()
}

// makeReport returns what the newest revision says about the zone; nil before that is known.
func (a *agent) makeReport() *model.ZoneReport {
	r := a.e.Revision()
	z := r.Zone(a.cfg.Zone)
	if z == nil || !r.Loaded || z.Judging || z.SyncedAt.IsZero() && z.Error == "" {
		return nil
	}
	out := model.NewZoneReport(z, r.Cluster, r.At)
	out.Agent, out.Version = a.cfg.Name, a.cfg.Version
	out.LeaseNamespace, out.Lease = a.cfg.Namespace, a.cfg.leaseConfig().LeaseName(a.cfg.Zone)
	if d := r.Dialects.RowDialect(a.cfg.Zone); d != nil {
		if settings, err := d.ToJSON(); err == nil {
			out.Settings = settings
		}
	}
	return out
}

// AgentName returns the name of this agent: of its pod, else of its machine.
func AgentName() string {
	if name, err := os.Hostname(); err == nil {
		return name
	}
	return "unknown"
}
