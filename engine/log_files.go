package engine

import (
	"context"
	"time"

	"rung/engine/logs"
	"rung/revision"
)

// forObjects is how long log files wait for the objects that explain their lines.
const forObjects = 30 * time.Second

// runLogFiles reads log files until the engine ends.
func (e *Engine) runLogFiles() {
	ctx, cancel := context.WithTimeout(e.loop.Context(), forObjects)
	_ = e.Wait(ctx, func(r *revision.Revision) bool { return r.Loaded }) // without them, too
	cancel()
	nodeOf := func(namespace, pod string) string {
		if p := e.Revision().Cluster.Pod(namespace, pod); p != nil {
			return p.NodeName
		}
		return ""
	}
	merges := e.cfg.Kube != nil && !e.cfg.LogFiles.Only
	if err := logs.NewFileReader(e.logs, e.cfg.LogFiles, nodeOf, merges).Run(e.loop.Context()); err != nil && e.loop.Context().Err() == nil {
		e.send(func(s *state) { s.Problem("log files", err.Error()) })
	}
}
