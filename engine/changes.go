package engine

import (
	"context"
	"fmt"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/change/history"
	"rung/change/write"
	"rung/engine/logs"
	"rung/engine/statedir"
	"rung/model"
	"rung/model/logline"
	"rung/revision"
	"rung/sources/files"
)

// startGate opens history and audit and creates the gate. The history outlives the process only if the changes
// do, that is with a writer other than memory.
func (e *Engine) startGate() error {
	dir := e.cfg.StateDir
	if e.cfg.Kube != nil && e.cfg.Writer == nil {
		e.cfg.Writer = write.NewKubeWriter(e.cfg.Kube)
	}
	if dir != "" {
		note, err := statedir.OpenFolderOnDisk(files.OrSystem(e.cfg.Disk), dir)
		if err != nil {
			return err
		}
		if note != "" {
			e.notices = append(e.notices, note)
		}
		statedir.SweepFolder(files.OrSystem(e.cfg.Disk), dir)
	}
	if w, ok := e.cfg.Writer.(interface{ SweepLeftovers(before time.Time) }); ok {
		w.SweepLeftovers(time.Now().Add(-statedir.SweepAge))
	}
	historyDir := dir
	if e.cfg.Writer == nil {
		historyDir = ""
	}
	past := historyDir
	if e.cfg.ReadPast {
		past = dir
	}
	h, err := history.Open(e.cfg.Disk, past, e.cfg.stateIdentity())
	if err != nil {
		return err
	}
	e.gate = gate.New(gate.Config{CurrentRevision: e.Revision, LogConnections: e.logs.ConnectionsWhere, Protected: e.cfg.protectedNamespaces(),
		Release: e.cfg.APIRelease, Writer: e.cfg.Writer, Overlay: e.overlayChanges,
		History: h, Audit: history.NewAudit(e.cfg.Disk, dir), Identity: e.cfg.stateIdentity(), Now: e.loop.Clock, WaitShown: e.awaitShown,
		HistoryChanged: func(undo, redo string) {
			e.sessions.PublishEnded(nil)
			e.changeState(func(s *loopState) { s.undo, s.redo = undo, redo })
		}, LogRate: func(k model.PolicyKey) (int, bool) { return logRate(e.logs.Stats().PerRule, k) }})
	e.sessions = NewLogSessions(e.loop, e.gate, LogSessionsConfig{ReadOnly: e.cfg.ReadOnly,
		Follows: (e.cfg.Screen || e.cfg.Reconcile) && !e.cfg.ReadOnly && (e.cfg.Writer != nil || e.cfg.Sandbox != nil || e.cfg.Reconcile)})
	if e.cfg.Kube != nil && (e.cfg.Screen || !e.cfg.Reconcile) { // headless, nobody sees permissions
		e.loop.Go(func() { runAccess(e.loop, e.state, e.gate, e.cfg.Kube, e.cfg.podNamespaces()) })
	}
	if undo, redo := e.gate.UndoTitle(), e.gate.RedoTitle(); undo != "" || redo != "" {
		e.sendToLoop(func(s *loopState) {
			s.undo, s.redo = undo, redo
			s.MarkChanged()
		})
	}
	e.startPlans(historyDir, h)
	e.startReverts(historyDir)
	return nil
}

// overlayChanges lays changes over the objects of the sources and returns once a revision shows them.
func (e *Engine) overlayChanges(changes []change.ObjectChange) error {
	objects := make(map[model.Key]*model.Policy, len(changes))
	for _, c := range changes {
		objects[c.Key] = c.New
	}
	// A written change persists, whether or not this engine still shows it.
	if !e.runInLoop(func(s *loopState) { s.putPolicies(objects) }) && e.cfg.Writer == nil {
		return fmt.Errorf("the engine has ended: %w", context.Canceled)
	}
	return nil
}

// showTime is how long a change waits for the source to show it.
const showTime = 2 * time.Second

// awaitShown waits until the source shows a change that the server accepted.
func (e *Engine) awaitShown(ctx context.Context, changes []change.ObjectChange) {
	ctx, cancel := context.WithTimeout(ctx, showTime)
	defer cancel()
	_ = e.WaitFor(ctx, func(r *revision.Revision) bool {
		for _, c := range changes {
			is := r.Cluster.Changeable(c.Key)
			if c.New == nil && is != nil && is.UID == c.Old.UID || c.New != nil && !model.SameContent(is, c.New) {
				return false
			}
		}
		return true
	})
}

// Preview works out what a change would do, without any side effect. An error means that this could not be
// worked out; Blocked and Errors say why the change may not be made.
func (e *Engine) Preview(ctx context.Context, m change.Mutation) (*gate.Preview, error) {
	return e.gate.Preview(ctx, e.Revision(), m)
}

// Commit makes the change of a preview. The errors wrap ErrBlocked, ErrStale or ErrNotConfirmed if the gate
// refused. An error with a Result means the change was made but not recorded completely.
func (e *Engine) Commit(ctx context.Context, p *gate.Preview, c gate.Confirm) (*gate.Result, error) {
	return e.gate.Commit(ctx, p, c)
}

// AuditRefused records in the audit who asked for the change of a preview and why it is not made, if it never
// reaches Commit.
func (e *Engine) AuditRefused(p *gate.Preview, by string, why error) error {
	return e.gate.AuditRejected(p, by, why)
}

// Notices returns the problems that the start found and mended, for the caller: permissions of the state
// folder, unreadable lines of the history.
func (e *Engine) Notices() []string { return e.notices }

// logRate returns how many lines a second the rules of a policy or unit log now.
func logRate(rules map[logline.RuleRef]logs.RuleStat, k model.PolicyKey) (lines int, ok bool) {
	for ref, stat := range rules {
		if ref.Policy == k && stat.Count > 0 {
			lines, ok = lines+stat.Seconds.Rate(), true
		}
	}
	return lines, ok
}
