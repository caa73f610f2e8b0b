package lab

import (
	"context"
	"errors"

	"rung/engine/zones"
	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/sources/acllog"
	"rung/sources/sandbox"
)

// clusterAndRows returns the newest cluster and its zones' live rows.
func (l *Lab) clusterAndRows() (*model.Cluster, map[string]*nb.DB) {
	r := l.Revision()
	dbs := make(map[string]*nb.DB, len(r.Zones))
	for _, z := range r.Zones {
		dbs[z.Name] = z.DB
	}
	return r.Cluster, dbs
}

// runTraffic begins connections in the sandbox's zones and stores their log lines.
func (l *Lab) runTraffic(sb *sandbox.Sandbox, rate float64) {
	t := sandbox.NewTraffic(sandbox.TrafficConfig{Rate: rate, Seed: 1, Sandbox: sb, Slots: l.Slots})
	l.traffic.Store(t)
	if sb.OVN() == "" {
		l.Logs.CountLossesWith(t.WithheldLines)
	} else {
		l.Go(func() { zones.RunMeters(l.Context(), l.Logs, zones.MetersEvery, meterReader(sb)) })
	}
	logged := make(chan sandbox.LogLine)
	if !l.Go(func() { t.Run(l.Context(), l.clusterAndRows, logged) }) {
		return
	}
	for x := range logged {
		line, err := acllog.Parse(x.Text)
		switch {
		case errors.Is(err, acllog.ErrNotACL):
		case err != nil:
			l.Logs.CountLost(0, 1)
		default:
			line.Zone = x.Zone
			l.Logs.Offer(line)
		}
	}
}

// meterReader returns a reader of a zone's meters in the sandbox on OVN.
func meterReader(sb *sandbox.Sandbox) func(context.Context, string) (map[string]flow.MeterStat, error) {
	return func(ctx context.Context, zone string) (stats map[string]flow.MeterStat, err error) {
		err = sb.WithZone(ctx, zone, func(ctx context.Context, z *sandbox.Zone) error {
			stats, err = z.Meters(ctx)
			return err
		})
		return stats, err
	}
}
