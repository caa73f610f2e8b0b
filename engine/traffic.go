package engine

import (
	"errors"

	"rung/sources/acllog"
	"rung/sources/sandbox"
)

// runTraffic simulates connections over the zones' live rows and takes in the
// log lines they write.
func (e *Engine) runTraffic(rate float64) {
	t := sandbox.NewTraffic(sandbox.TrafficConfig{Rate: rate, Seed: 1, Turn: e.turns.take})
	t.Run(e.ctx, e.zones.snapshot, func(zone, text string) {
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
