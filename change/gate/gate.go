package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"rung/change"
	"rung/change/effect"
	"rung/change/history"
	"rung/model"
	"rung/model/verdict/diff"
	"rung/revision"
	"rung/sources/manifests"
)

// Gate is the only way to change policies: Preview says what a change would do, Commit makes it. Commit trusts
// only that the preview was read. It works out again everything that decides whether the change may be made.
type Gate struct {
	Config Config
	user   string

	// server is the Writer if it writes to an API server, else nil. schemas come from the server's CRDs; nil
	// selects Rung's own.
	server  serverWriter
	schemas atomic.Pointer[manifests.Schemas]

	changes queue // one commit at a time
	// plans undoes plans, or nil without a runner. trials puts unconfirmed changes back. Both are above the gate.
	plans  PlanRunner
	trials TrialKeeper
}

// Config holds the dependencies of a gate.
type Config struct {
	User            string                    // author of changes; defaults to the user who runs the process
	CurrentRevision func() *revision.Revision // the newest revision
	// Writer makes changes permanent; nil if they live in the overlay alone. Overlay lays them over the
	// objects of the sources.
	Writer  change.Writer
	Overlay func(changes []change.ObjectChange) error
	History *history.History
	Audit   *history.AuditLog
	// Identity names the history, in the audit.
	Identity string
	Now      func() time.Time
	// LogConnections returns the connections of the newest log lines, to compare a change with; if allowed,
	// only connections that every line reports as allowed. It returns nil if no log is read.
	LogConnections func(allowed bool) *diff.LogConnections
	// Namespaces that the configuration protects.
	Protected []string
	// Release of network-policy-api whose CRDs check texts, unless the server's CRDs are known.
	Release string
	// WaitShown waits until a revision shows a change that the server accepted, or ctx ends. HistoryChanged,
	// which may be nil, receives the titles of the next undo and redo.
	WaitShown      func(ctx context.Context, changes []change.ObjectChange)
	HistoryChanged func(undo, redo string)
	// LogRate returns how many lines a second the rules of a policy or unit log now; ok is false if none of
	// its lines was seen. It may be nil.
	LogRate func(k model.PolicyKey) (lines int, ok bool)
}

// New returns a gate in front of a writer.
func New(c Config) *Gate {
	server, _ := c.Writer.(serverWriter)
	if c.LogConnections == nil {
		c.LogConnections = func(bool) *diff.LogConnections { return nil }
	}
	if c.HistoryChanged == nil {
		c.HistoryChanged = func(_, _ string) {}
	}
	if c.LogRate == nil {
		c.LogRate = func(model.PolicyKey) (int, bool) { return 0, false }
	}
	return &Gate{Config: c, user: cmp.Or(c.User, CurrentUser()), server: server, trials: noTrials{}}
}

// UseSchemas sets the schemas of a server's CRDs, which check policies from now on.
func (g *Gate) UseSchemas(s *manifests.Schemas) { g.schemas.Store(s) }

// judgingOptions returns the CRDs that check the texts of policies.
func (g *Gate) judgingOptions() manifests.Options {
	return manifests.Options{Schemas: g.schemas.Load(), Release: g.Config.Release}
}

func isConfirmed(gs []change.Guard, g change.Guard) bool {
	return slices.ContainsFunc(gs, func(c change.Guard) bool { return c.Code == g.Code && c.Policy == g.Policy })
}

// Preview works out a change without any side effect. An error means that it could not be worked out; Blocked
// and Errors say why it may not be made.
func (g *Gate) Preview(ctx context.Context, rev *revision.Revision, m change.Mutation) (*Preview, error) {
	if m.Op == change.OpUndo || m.Op == change.OpRedo {
		e, why := g.HistoryEntry(rev, m)
		m.Plan = g.plans != nil && why == "" && e.Plan != nil
		if m.Plan {
			m.Undo = e.ID
		}
	}
	if m.IsWholePlan() {
		return g.plans.PreviewPlan(ctx, m)
	}
	p, live := g.resolveOnServer(ctx, rev, m, nil)
	if err := g.explainPreview(ctx, rev, live, p); err != nil {
		return nil, err
	}
	return p, nil
}

// Commit makes the change of a preview. If the gate refuses, the error wraps ErrBlocked, ErrStale or
// ErrNotConfirmed. An error with a Result means that the change was made but not fully recorded. A plan is
// started, and continues after Commit returns (Result.Plan).
func (g *Gate) Commit(ctx context.Context, p *Preview, a Confirm) (*Result, error) {
	if p == nil {
		return nil, change.Blocked("there is no preview")
	}
	if p.Mutation.IsWholePlan() {
		if a.TrialTime != 0 {
			return nil, change.Blocked("%s: a plan cannot be made on trial; roll it back instead", p.Title)
		}
		if err := g.plans.BeginPlan(ctx, p, a); err != nil {
			return nil, err
		}
		return &Result{Plan: true}, nil
	}
	if !a.Yes {
		return nil, fmt.Errorf("%s: %w", p.Title, change.ErrNotConfirmed)
	}
	leave, err := g.changes.enter(ctx, p.Title, a.OnWait)
	if err != nil {
		return nil, err
	}
	defer leave()
	if a.Finish {
		ctx = context.WithoutCancel(ctx)
	}
	now := g.Config.CurrentRevision()
	fresh, live := g.resolveOnServer(ctx, now, p.Mutation, p)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Title, err)
	}
	if err := g.recomputeEffects(ctx, now, live, p, fresh); err != nil {
		return nil, err
	}
	start := g.Config.Now()
	record := g.auditRecord(start, live, fresh, a)
	if err := CheckAgreement(p, fresh, a); err != nil {
		if a.retried && errors.Is(err, change.ErrStale) {
			return nil, err
		}
		record.Outcome(history.Refused, err, 0)
		var herr error
		if fresh.AlreadyUndone { // it has nothing left to do, so that the next undo is an older change
			herr = g.Config.History.MarkUndone(fresh.Undoes)
			g.PublishUndoTitles()
		}
		return nil, errors.Join(err, herr, g.Config.Audit.Write(record))
	}
	line, err := g.Config.Audit.Reserve(record)
	if err != nil {
		return nil, fmt.Errorf("%s: nothing was changed: the audit cannot be written: %w", p.Title, err)
	}
	refuse := func(result string, took time.Duration, err error) (*Result, error) {
		record.Outcome(result, err, took)
		return nil, errors.Join(err, g.Config.Audit.Finish(line, record))
	}
	// The way back is on disk before anything can need it.
	trial, err := g.trials.BeginTrial(fresh, a, a.isPlanStep)
	if err != nil {
		return refuse(history.Refused, 0, fmt.Errorf("%s: nothing was changed: %w", p.Title, err))
	}
	// Finishing a killed change adds no history entry, since that change has one already. A plan has one entry
	// for all its steps.
	recorded := !a.isPlanStep && p.Mutation.Op != change.OpFinish
	if recorded {
		if err := g.Config.History.Reserve(g.historyEntry(start, fresh, a, trial)); err != nil {
			g.trials.ChangeFailed(trial)
			return refuse(history.Refused, 0, fmt.Errorf("%s: nothing was changed: no room to record the undo: %w", p.Title, err))
		}
	}
	sent := slices.Clone(fresh.Objects)
	if err := g.writeChanges(ctx, fresh.Objects); err != nil {
		if recorded {
			g.Config.History.Release()
		}
		g.trials.ChangeFailed(trial)
		return refuse(history.Failed, g.Config.Now().Sub(start), fmt.Errorf("%s: %w", p.Title, err))
	}
	res := &Result{Took: g.Config.Now().Sub(start)}
	if g.server != nil {
		res.ServerChanged = serverChangesText(sent, fresh.Objects)
	}
	res.Written = change.ObjectKeys(fresh.Objects)
	var herr error
	if recorded {
		res.Undo, herr = g.Config.History.Push(g.historyEntry(start, fresh, a, trial))
		g.PublishUndoTitles()
		res.Trial = g.trials.ChangeMade(trial, res.Undo, change.WrittenFiles(fresh.Objects))
		g.trials.ChangeUndone(fresh)
	}
	record.Objects, record.Undo = history.NewAuditObjects(fresh.Objects), res.Undo // with the UIDs of new objects
	record.Outcome(history.OK, nil, res.Took)
	aerr := g.Config.Audit.Finish(line, record)
	if g.server != nil {
		g.Config.WaitShown(ctx, fresh.Objects)
	}
	if err := errors.Join(herr, aerr); err != nil {
		return res, fmt.Errorf("%s: %w: %w", fresh.Title, change.ErrNotRecorded, err)
	}
	return res, nil
}

// historyEntry returns the history entry of a change, by which it can be undone.
func (g *Gate) historyEntry(at time.Time, p *Preview, a Confirm, trial string) history.Entry {
	e := history.Entry{At: at, Title: p.Title, By: a.By, Undoes: p.Undoes, Objects: history.NewObjects(p.Objects),
		Files: change.WrittenFiles(p.Objects), Trial: trial, Session: sessionBegun(p.Objects), Ended: endedSessions(p, g.user, g.Config.Now())}
	e.Ends = p.Mutation.Op == change.OpLogEnd
	if e.Ends && len(e.Ended) > 0 {
		began, _ := g.Config.History.EntryOfID(e.Ended[0].ID)
		e.Undoes = began.ID
	}
	return e
}

// PublishUndoTitles passes the titles of the next undo and redo to HistoryChanged.
func (g *Gate) PublishUndoTitles() {
	g.Config.HistoryChanged(g.UndoTitle(), g.RedoTitle())
}

// PollHistory reads what other processes added to the history.
func (g *Gate) PollHistory() {
	if g.Config.History.PollChanged() {
		g.PublishUndoTitles()
	}
}

// writeChanges writes changes, and shows them in the overlay unless a server's source will deliver them.
func (g *Gate) writeChanges(ctx context.Context, changes []change.ObjectChange) error {
	if g.Config.Writer != nil {
		if err := g.Config.Writer.Write(ctx, changes); err != nil {
			return err
		}
	}
	if g.server != nil {
		return nil // an overlay over the server's objects would hide later changes by others
	}
	return g.Config.Overlay(changes)
}

// recomputeEffects works out the consequences of a change again before it is made, if preview p had them and
// they may have changed.
func (g *Gate) recomputeEffects(ctx context.Context, now, live *revision.Revision, p, fresh *Preview) error {
	if !p.compared.complete {
		return nil
	}
	if now.Basis() == p.compared.basis && liveRowsText(now, fresh.Objects) == p.compared.liveRows &&
		slices.Equal(fresh.Notes, p.compared.baseNotes) &&
		slices.EqualFunc(g.planNotes(live, func() *revision.Revision { return effect.RevisionAfter(live, fresh.Objects) }, fresh),
			p.compared.plan, effect.SameConsequence) {
		fresh.compared = newComparedState(now)
		fresh.compared.facts = p.compared.facts // same objects, same basis: the facts still hold
		if p.ChangesSince(fresh) == "" {
			return nil
		}
	}
	return g.explainPreview(ctx, now, live, fresh)
}

// CheckAgreement returns an error if a change previewed as p, and now worked out as fresh, may not be made.
func CheckAgreement(p, fresh *Preview, a Confirm) error {
	if fresh.Blocked != "" && p.Blocked != "" {
		return change.Blocked("%s: %s", p.Title, fresh.Blocked)
	}
	for _, g := range fresh.Guards {
		if a.isPlanStep && !isConfirmed(a.guards, g) {
			return fmt.Errorf("%s: new guard rail since the plan was confirmed: %s: %w", p.Title, g.Message, change.ErrNotConfirmed)
		}
	}
	if what := p.ChangesSince(fresh); what != "" {
		return &StaleError{Title: p.Title, Difference: what, Preview: fresh}
	}
	if fresh.ConfirmName != "" && a.Name != fresh.ConfirmName && !a.reverts && !a.isPlanStep {
		return fmt.Errorf("%s: %w: a guard rail needs the name %s (%s)",
			p.Title, change.ErrNotConfirmed, fresh.ConfirmName, fresh.Guards[0].Message)
	}
	return nil
}

// UndoTitle returns the title of the change that undo would take back, or "".
func (g *Gate) UndoTitle() string {
	e, _ := g.Config.History.FindEntry(0)
	return e.Title
}

// RedoTitle returns the title of the change that redo would make again, or "".
func (g *Gate) RedoTitle() string {
	e, _ := g.Config.History.FindRedo()
	return strings.TrimPrefix(e.Title, "Undo: ")
}
