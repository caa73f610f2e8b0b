package engine

import (
	"context"
	"time"

	"rung/engine/logs"
	"rung/model"
	"rung/revision"
	"rung/sources/files"
	"rung/sources/kube"
)

// objectsTimeout bounds how long log files wait for the objects that explain their lines.
const objectsTimeout = 30 * time.Second

// runLogFiles reads log files until the engine ends.
func (e *Engine) runLogFiles() {
	ctx, cancel := context.WithTimeout(e.loop.Context(), objectsTimeout)
	_ = e.WaitFor(ctx, func(r *revision.Revision) bool { return r.Loaded }) // after the timeout, read without objects
	cancel()
	nodeOf := func(namespace, pod string) string {
		if p := e.Revision().Cluster.Pod(namespace, pod); p != nil {
			return p.NodeName
		}
		return ""
	}
	merges := e.cfg.Kube != nil && !e.cfg.LogFiles.Only
	files.RunUntil(e.loop.Context(), func() {
		if err := logs.NewFileReader(e.logs, e.cfg.LogFiles, nodeOf, merges).Run(e.loop.Context()); err != nil && e.loop.Context().Err() == nil {
			e.sendToLoop(func(s *loopState) { s.ReportProblem("log files", err.Error()) })
		}
	})
}

// runPodLogs follows the ACL logs of a cluster's nodes until the engine ends.
func (e *Engine) runPodLogs() {
	read, err := kube.New(e.cfg.Kube)
	if err != nil {
		e.sendToLoop(func(s *loopState) { s.ReportProblem("ACL logs", err.Error()) })
		return
	}
	ticks, stop := e.Subscribe()
	defer stop()
	logs.NewFollower(e.logs, read, e.cfg.ACLLogs, e.cfg.podNamespaces()).Run(e.loop.Context(), e.Revision, ticks)
}

// ControllerLog reads the newest lines of a zone's ovnkube-controller and keeps the lines naming the policy.
// The error is one line with a remedy.
func (e *Engine) ControllerLog(ctx context.Context, zone string, policy model.PolicyKey) (*logs.Log, error) {
	if e.cfg.Kube == nil {
		return nil, logs.ErrNotOnCluster
	}
	read, err := kube.New(e.cfg.Kube)
	if err != nil {
		return nil, err
	}
	return logs.ReadLines(ctx, read, model.Kubectl{Flags: e.cfg.Kube.Flags()}, e.cfg.podNamespaces(), zone, policy)
}
