package engine

import (
	"context"
	"errors"

	"rung/engine/below"
	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/sources/acllog"
	"rung/sources/sandbox"
	"rung/sources/sandbox/ovn"
)

// rows are the newest cluster and the live rows of its zones.
func (e *Engine) rows() (*model.Cluster, map[string]*nb.DB) {
	r := e.Revision()
	dbs := make(map[string]*nb.DB, len(r.Zones))
	for _, z := range r.Zones {
		dbs[z.Name] = z.DB
	}
	return r.Cluster, dbs
}

// runTraffic begins connections in the sandbox's zones and takes in the log lines that
// they cause.
func (e *Engine) runTraffic(sb *sandbox.Sandbox, rate float64) {
	t := sandbox.NewTraffic(sandbox.TrafficConfig{Rate: rate, Seed: 1, On: sb, Turn: e.slots.Take})
	e.traffic.Store(t)
	if sb.OVN() == "" {
		e.logs.CountedBy(t.Withheld)
	} else {
		e.loop.Go(func() { below.RunMeters(e.loop.Context(), e.logs, below.MetersEvery, metersOfLab(sb)) })
	}
	t.Run(e.loop.Context(), e.rows, func(zone, text string) {
		line, err := acllog.Parse(text)
		switch {
		case errors.Is(err, acllog.ErrNotACL):
		case err != nil:
			e.logs.Lost(0, 1)
		default:
			line.Zone = zone
			e.logs.Offer(line)
		}
	})
}

// metersOfLab reads those of a zone of the sandbox on OVN.
func metersOfLab(sb *sandbox.Sandbox) func(context.Context, string) (map[string]flow.MeterStat, error) {
	return func(ctx context.Context, zone string) (stats map[string]flow.MeterStat, err error) {
		err = sb.WithZone(ctx, zone, func(ctx context.Context, z *ovn.Zone) error {
			stats, err = z.Meters(ctx)
			return err
		})
		return stats, err
	}
}
