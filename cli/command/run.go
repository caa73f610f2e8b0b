package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/engine"
	"rung/engine/lab"
	"rung/engine/logs"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/system"
)

// StartTimeout limits how long a one-shot command waits for its sources and zones; far more than a healthy
// machine needs. A variable for tests.
var StartTimeout = 60 * time.Second

// WaitNoticeDelay is how long a command waits before it prints what it waits for.
const WaitNoticeDelay = 5 * time.Second

// WithObjects runs f on the first complete revision, without zones.
func (a *App) WithObjects(ctx context.Context, f func(*engine.Engine, *revision.Revision) error) error {
	return a.WithEngine(ctx, false, func(*revision.Revision) bool { return true }, f)
}

// WithRows runs f once every zone has been read and, in a sandbox, written.
func (a *App) WithRows(ctx context.Context, f func(*engine.Engine, *revision.Revision) error) error {
	return a.WithEngine(ctx, true, ZonesSettled(), f)
}

// WithChange runs f for a change of policies. It does not wait for the zones of a cluster, or of manifests
// without a Node, which have none.
func (a *App) WithChange(ctx context.Context, f func(*engine.Engine, *revision.Revision) error) error {
	done := ZonesSettled()
	return a.WithEngine(ctx, true, func(r *revision.Revision) bool {
		return r.Mode.Name == revision.ClusterMode || r.Mode.Sandbox && r.Cluster.Count(model.KindNode) == 0 || done(r)
	}, f)
}

// Patience is how long a zone that refuses connections is retried. A zone that failed only once by then, such
// as a stream through an API server, is retried up to LastPatience.
const (
	Patience     = time.Second
	LastPatience = 5 * time.Second
)

// ZonesSettled returns a check: whether every zone was read and judged, or cannot be, and a sandbox's rows are
// in sync.
func ZonesSettled() func(*revision.Revision) bool {
	start := time.Now()
	return func(r *revision.Revision) bool {
		for _, z := range r.Zones {
			tried := time.Since(start) > Patience && (z.Attempts > 1 || time.Since(start) > LastPatience)
			failed := z.Conn == model.ConnLost || z.Conn == model.ConnDenied || z.Error != "" && tried
			switch {
			case r.Mode.Sandbox && (z.Conn != model.ConnSynced || !isQuiet(r, z)):
				return false
			case z.SyncedAt.IsZero() && !failed, z.Judging:
				return false
			}
		}
		nodes := r.Unread(model.KindNode) // unreadable nodes give no zones
		return len(r.Zones) > 0 || !r.System.HasFeature(system.Rows) || nodes != nil && !nodes.IsReading
	}
}

// isQuiet reports whether the reconciler has nothing to do in a zone.
func isQuiet(r *revision.Revision, z *model.ZoneState) bool {
	for p := range r.Cluster.AllPolicies() {
		in := z.PolicyJoin(p.Key)
		if in == nil || (in.None == nil && (in.Missing+in.Extra+in.Different > in.Blocked || in.Waiting > 0) &&
			in.Error == "") {
			return false
		}
	}
	for _, k := range r.Units() {
		if in := z.PolicyJoin(k); in != nil && (k.Namespace == "" || r.Cluster.Namespace(k.Namespace) != nil) &&
			slices.ContainsFunc(in.Diffs, func(d model.RowDiff) bool { return d.Kind == model.DiffMissing && d.Waiting != "" }) {
			return false // the row they hang on is being created
		}
	}
	return z.Pending == 0
}

func (a *App) WithEngine(ctx context.Context, zones bool, ready func(*revision.Revision) bool,
	f func(*engine.Engine, *revision.Revision) error) error {
	cfg, err := a.EngineConfig(ctx, false, zones)
	if err != nil {
		return err
	}
	if a.Flags.Listen > 0 {
		cfg.ACLLogs = logs.FollowScope{Since: logs.Recently}
	} else {
		cfg.Mode.Simulated = false
	}
	// A one-shot command must not take zones from the process that keeps them.
	cfg.Reconcile, cfg.Mode.Reconciles = false, cfg.Mode.Sandbox
	if box, ok := cfg.Sandbox.(*lab.Lab); ok {
		// Nor does it need packets, unless it listens. It needs OVN only for flows and ovn-trace.
		if a.Flags.Listen == 0 {
			box.Traffic = 0
		}
		box.Churn = 0
		if a.Flags.Flows == nil && !a.Flags.OnOVN {
			box.OVN = lab.OVNOff
		}
	}
	cfg.Flows = a.Flags.Flows
	return a.WithConfig(ctx, cfg, ready, f)
}

func (a *App) WithConfig(ctx context.Context, cfg engine.Config, ready func(*revision.Revision) bool,
	f func(*engine.Engine, *revision.Revision) error) error {
	if err := a.EmptyFolders(); err != nil && len(cfg.NB) == 0 {
		return err
	}
	e, err := engine.New(ctx, cfg)
	if err != nil {
		return err
	}
	defer e.Close()
	err = awaitRead(ctx, a, e, ready, func(what string) { fmt.Fprintln(a.Err, "rung: waiting for "+what) })
	a.printProblems(e.Revision())
	for _, n := range e.Notices() { // of what the engine repaired when it started
		if !a.Flags.Quiet {
			a.PrintNoticeOnce(words.CleanLine(n))
		}
	}
	if err != nil {
		return err
	}
	if back, ended := a.printUnconfirmed(ctx, e), e.Revision().Mode.IsPersistent() && a.EndOverdue(ctx, e); back || ended {
		// The answer has to show the objects after changes were reverted.
		wait, cancel := context.WithTimeout(ctx, StartTimeout)
		defer cancel()
		_ = e.WaitFor(wait, ready)
	}
	return f(e, e.Revision())
}

// awaitRead waits until an engine has read what the app needs and is ready. It returns an error once that
// cannot happen. After WaitNoticeDelay it calls say once with what it waits for.
func awaitRead(ctx context.Context, a *App, e *engine.Engine, ready func(*revision.Revision) bool, say func(what string)) error {
	wait, cancel := context.WithTimeout(ctx, StartTimeout)
	defer cancel()
	var broken error
	late, told := time.Now().Add(WaitNoticeDelay), false
	err := e.WaitFor(wait, func(r *revision.Revision) bool {
		if !told && r != nil && time.Now().After(late) {
			told = true
			say(words.CleanLine(waitingForText(r)))
		}
		why := whyDenied(r)
		switch {
		case r.Loaded && a.WhyNotEnough(r) != nil:
			broken = a.WhyNotEnough(r)
			return true
		case why == nil && r.Loaded && !r.Unsettled && ready(r):
			return true
		case a.ToleratesUnread:
			return cmp.Or(why, whyNotStarted(r)) != nil && !isFirstReading(r)
		}
		broken = cmp.Or(why, whyNotStarted(r))
		return broken != nil
	}, time.Now().Add(Patience), time.Now().Add(LastPatience), late)
	switch {
	case broken != nil:
		return broken
	case err != nil:
		return fmt.Errorf("wait for %s: %w", waitingForText(e.Revision()), err)
	}
	return nil
}

// isFirstReading reports whether an API server has yet to answer the first requests.
func isFirstReading(r *revision.Revision) bool {
	return slices.ContainsFunc(r.Sources, func(s model.SourceState) bool {
		return slices.ContainsFunc(s.Resources, func(x model.SourceResource) bool {
			return x.Attempts == 0 && (x.Conn == model.ConnStarting || x.Conn == model.ConnDialling)
		})
	})
}

// whyNotStarted names a source that was never read. Sources lost later only become omissions of the answers.
func whyNotStarted(r *revision.Revision) error {
	for _, s := range r.Sources {
		if s.Conn == model.ConnLost && s.Error != "" && (!r.Loaded || s.HasNoObjects) {
			return fmt.Errorf("%s: %s", s.Name, s.Error)
		}
	}
	return nil
}

// whyDenied returns an error if AdminNetworkPolicies may not be read, since every answer would be wrong. Other
// denied resources only become omissions.
func whyDenied(r *revision.Revision) error {
	for _, s := range r.Sources {
		for _, res := range s.Resources {
			if res.Conn == model.ConnDenied && strings.HasPrefix(res.Name, "adminnetworkpolicies.") {
				return fmt.Errorf("%s: no permission: %s", s.Name, res.Error)
			}
		}
	}
	return nil
}

// UnreadZone names the first zone whose rows could not be read completely.
func UnreadZone(zones []*model.ZoneState) error {
	for _, z := range zones {
		switch {
		case z.Partial != "":
			return fmt.Errorf("zone %s (%s): some of its rows could not be read: %s", z.Name, z.Endpoint, z.Partial)
		case !z.SyncedAt.IsZero():
		case strings.HasPrefix(z.Endpoint, "exec:"):
			return fmt.Errorf("zone %s (%s) could not be read: %s: %s", z.Name, z.Endpoint, z.Conn, z.Error)
		default:
			return fmt.Errorf("zone %s (%s) could not be read: %s: %s; is the server running, is --nb right?", z.Name,
				z.Endpoint, z.Conn, z.Error)
		}
	}
	return nil
}

// printProblems prints what could not be read, or is rejected by OVN-Kubernetes, a line each and only once.
// Commands continue without it.
func (a *App) printProblems(r *revision.Revision) {
	if a.Flags.Quiet {
		return
	}
	say := func(b model.Broken) {
		if b.Severity != model.SeverityInfo {
			a.PrintNoticeOnce(words.CleanLine(b.String()))
		}
	}
	for _, b := range r.Broken {
		say(b)
	}
	for p := range r.Cluster.EveryPolicy() {
		for _, b := range p.Invalid {
			b.Key = p.Key
			if b.Origin == (model.Origin{}) {
				b.Origin = p.Origin
			}
			say(b)
		}
	}
}

func waitingForText(r *revision.Revision) string {
	switch {
	case !r.Loaded && r.Mode.Name == revision.ClusterMode:
		text := "the API server " + r.Mode.Server
		if u := r.Unread(); u != nil && u.Objects > 0 && len(u.Kinds) > 0 {
			text = u.KindsText() + " of " + text
		}
		if r.Mode.Login != "" {
			text += ", or the login plugin " + r.Mode.Login
		}
		return text
	case !r.Loaded:
		return "the manifests"
	}
	for _, z := range r.Zones {
		switch {
		case z.Conn != model.ConnSynced && z.Error == "":
			return fmt.Sprintf("zone %s (%s)", z.Name, z.Conn)
		case z.Conn != model.ConnSynced:
			return fmt.Sprintf("zone %s (%s: %s)", z.Name, z.Conn, z.Error)
		}
	}
	return "the zones to settle"
}

// PrintNoRows prints on stderr why a plugin without rows has none to list.
func (a *App) PrintNoRows(r *revision.Revision) {
	if !r.System.HasFeature(system.Rows) && !a.Flags.Quiet {
		a.PrintNoticeOnce(r.System.Title + " enforces the policies here: there are no zones or rows (docs/" + string(r.System.Name) + ".md)")
	}
}

// ReadInputFully reads an input completely while a console runs. It prints, keeps and changes nothing, reads no
// zone, and closes its engine before it returns.
func ReadInputFully(ctx context.Context, a *App, input string) (*revision.Revision, error) {
	if input == "-" {
		return nil, errors.New("standard input is the keyboard here")
	}
	side, err := ForInput(a, input)
	if err != nil {
		return nil, err
	}
	side.Needs, side.Flags.Kube.reconcile = NeedNothing, false
	for _, path := range side.Flags.Files {
		if err := engine.CheckInput(ctx, path); err != nil {
			return nil, err
		}
	}
	cfg, err := side.EngineConfig(ctx, false, false)
	if err != nil {
		return nil, err
	}
	cfg.Mode.Simulated, cfg.Reconcile, cfg.StateDir = false, false, ""
	e, err := engine.New(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	ready := func(*revision.Revision) bool { return true }
	if err := awaitRead(ctx, side, e, ready, func(string) {}); err != nil {
		return nil, err
	}
	return e.Revision(), nil
}

// PermanentFlag returns the flag that makes a change permanent.
func (a *App) PermanentFlag() string {
	if len(a.Flags.Files) > 0 {
		return "--write-back"
	}
	return "--write"
}

// printUnconfirmed prints the state of an unconfirmed change on trial. It first reverts an expired one of an
// earlier run, and returns true if it did.
func (a *App) printUnconfirmed(ctx context.Context, e *engine.Engine) (changed bool) {
	if a.completes {
		return false
	}
	u := e.SettleTrial(ctx)
	if u == nil {
		return false
	}
	text := u.Text(e.Now())
	if u.Title != "" {
		text = u.Title + ": " + text
	}
	if u.Partly != "" && u.IsOpen() {
		text += "; " + a.CommandElsewhere(e, "confirm", a.PermanentFlag()) + " finishes it, " + a.CommandElsewhere(e, "undo", a.PermanentFlag()) +
			" undoes it"
	}
	if u.IsOpen() && u.TimeLeft(e.Now()) > 0 {
		text += "; " + a.CommandElsewhere(e, "confirm") + " keeps it"
	}
	a.PrintNotice(text)
	return !u.IsOpen()
}

// CommandElsewhere returns a rung command to type in another shell, for the same files or cluster and the same
// state folder.
func (a *App) CommandElsewhere(e *engine.Engine, command ...string) string {
	args := append([]string{"rung"}, command...)
	for _, f := range a.Flags.Files {
		args = append(args, "-f", f)
	}
	if dir := a.Flags.StateDir; dir != "" {
		args = append(args, "--state-dir", dir)
	}
	text := words.ShellJoin(args...)
	if flags := e.Revision().Mode.Kubectl.Flags; flags != "" {
		text += " " + flags
	}
	return text
}

// EndOverdue ends expired logging sessions, prints that, and reports whether there were any.
func (a *App) EndOverdue(ctx context.Context, e *engine.Engine) (ended bool) {
	if a.completes {
		return false
	}
	texts := e.Sessions().EndOverdue(ctx)
	a.PrintNotice(texts...)
	return len(texts) > 0
}
