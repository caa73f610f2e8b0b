package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"rung/engine/trace"
	"rung/model"
	"rung/model/clean"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/model/ovn/ovntrace"
	"rung/model/verdict"
	"rung/model/verdict/walk"
	"rung/revision"
	"rung/revision/flows"
	"rung/revision/liverows"
)

// Errors of asking ovn-trace.
var (
	// ErrNoOVNTrace says that there is nowhere to run it: neither a cluster nor a sandbox on
	// OVN.
	ErrNoOVNTrace = errors.New("no ovn-trace can be run here")
	// ErrNoProgram says that the zone's pod has no ovn-trace.
	ErrNoProgram = errors.New("the zone's pod has no ovn-trace")
)

const (
	// ovnTraceWithin bounds one run, with looking for the pod.
	ovnTraceWithin = 30 * time.Second
	// ovnRowsWithin is how long rows of a zone are waited for that is only swept.
	ovnRowsWithin = 20 * time.Second
	// maxDisagreements is how many connections are kept on which OVN and the rows
	// disagree.
	maxDisagreements = 100
)

// What an OVNTrace does in a zone, as it is told.
const (
	ovnReads = "reading the rows"
	ovnWaits = "waiting for another trace"
	ovnRuns  = "running ovn-trace"
)

// ovnTraces are the runs of ovn-trace: one at a time in each zone. It locks itself.
type ovnTraces struct {
	tracer trace.Tracer

	mu   sync.Mutex
	busy map[string]chan struct{}
}

func newOVNTraces() *ovnTraces { return &ovnTraces{busy: map[string]chan struct{}{}} }

// take waits until no other trace runs in a zone.
func (t *ovnTraces) take(ctx context.Context, zone string, waits func()) (release func(), err error) {
	t.mu.Lock()
	slot := t.busy[zone]
	if slot == nil {
		slot = make(chan struct{}, 1)
		t.busy[zone] = slot
	}
	t.mu.Unlock()
	release = func() { <-slot }
	select {
	case slot <- struct{}{}:
		return release, nil
	default:
	}
	waits()
	select {
	case slot <- struct{}{}:
		return release, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for another trace in zone %s: %w", zone, context.Cause(ctx))
	}
}

// OVNTrace asks ovn-trace about a connection, in the source's zone and where it goes on in
// the destination's, and holds what it decides against the rows. told, where set, hears
// what is being done. Where the two disagree it is a finding until the connection is traced
// again and they agree, or until a policy is gone that it is about. An error wraps
// ErrNoOVNTrace where none can be run, and verdict.ErrQuestion where the question makes no
// sense; what keeps one zone from answering is in its half.
func (e *Engine) OVNTrace(ctx context.Context, c verdict.Connection, told func(doing string)) (*flows.OVNTrace, error) {
	if told == nil {
		told = func(string) {}
	}
	run, err := e.ovnRunner()
	if err != nil {
		return nil, err
	}
	return e.ovnTrace(ctx, c, run, told)
}

// ovnTrace is OVNTrace by a given runner.
func (e *Engine) ovnTrace(ctx context.Context, c verdict.Connection, run ovnRunner, told func(doing string)) (*flows.OVNTrace, error) {
	answer, err := walk.FromPolicies(e.Revision().Verdicts(), c)
	if err != nil {
		return nil, err
	}
	out := &flows.OVNTrace{Connection: c}
	if len(answer.Paths) == 0 {
		out.Ways = []flows.OVNWay{{Why: answer.Reason}}
	}
	for i := range answer.Paths {
		w, err := e.ovnWay(ctx, direct(&answer.Paths[i], c), run, told)
		if err != nil {
			return nil, err
		}
		out.Ways = append(out.Ways, *w)
	}
	out.At = e.Now()
	e.do(func(s *state) { s.ovnTraced(out) })
	return out, nil
}

// direct is the connection to one endpoint itself.
func direct(p *verdict.Path, c verdict.Connection) verdict.Connection {
	out := verdict.Connection{From: p.From.Endpoint, To: p.To.Endpoint, Protocol: c.Protocol, Port: p.To.Port, Family: c.Family}
	if p.To.Addr.IsValid() {
		out.Family = verdict.FamilyOf(p.To.Addr)
	}
	return out
}

// ovnWay asks about the way between two ends.
func (e *Engine) ovnWay(ctx context.Context, c verdict.Connection, run ovnRunner, told func(doing string)) (*flows.OVNWay, error) {
	dbs, rows, err := e.ovnRows(ctx, c, told)
	if err != nil {
		return nil, err
	}
	w := &flows.OVNWay{Rows: rows}
	if rows.Verdict == verdict.NotApplicable {
		w.Why = rows.Reason
		return w, nil
	}
	asks, err := ovntrace.Plan(e.Revision().Cluster, &rows, c.Protocol, func(zone string) *nb.DB { return dbs[zone] })
	if errors.Is(err, ovntrace.ErrNotTraced) {
		w.Why = err.Error()
		return w, nil
	}
	if err != nil {
		return nil, err
	}
	for i := range asks {
		h := flows.OVNHalf{Zone: asks[i].Zone}
		if err := e.ovnRun(ctx, &asks[i], run, &h, told); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			h.Error = clean.Text(err.Error())
		}
		w.Halves = append(w.Halves, h)
		if h.Error == "" && h.Read(&asks[i], rows.Stages, liverows.NewFinder(e.Revision(), h.Zone)) == verdict.Deny {
			break // it goes no further
		}
	}
	after, now, err := e.ovnRows(ctx, c, told)
	if err != nil {
		return nil, err
	}
	w.Rows = now
	for i := range w.Halves {
		h := &w.Halves[i]
		if h.Error != "" {
			continue
		}
		was := *h
		h.Changed = !slices.EqualFunc(rows.Stages, now.Stages, sameAnswer)
		h.Progress = flow.ProgressOf(after[h.Zone], nil)
		finder := liverows.NewFinder(e.Revision(), h.Zone)
		h.Read(&asks[i], now.Stages, finder)
		if h.Changed && h.Cause() != "" {
			// What was read may be of the rows before.
			if was.Read(&asks[i], rows.Stages, finder); was.Cause() == "" {
				*h = was
			}
		}
	}
	return w, nil
}

// sameAnswer says whether two answers of a stage are the same.
func sameAnswer(a, b verdict.StageVerdict) bool {
	acl := func(s *verdict.StageVerdict) string {
		if s.Decided == nil {
			return ""
		}
		return s.Decided.ACL
	}
	return a.Verdict == b.Verdict && acl(&a) == acl(&b) && len(a.Passed) == len(b.Passed)
}

// ovnRows are the rows of the zones of a connection and what they decide. Zones that are
// only swept are followed for it.
func (e *Engine) ovnRows(ctx context.Context, c verdict.Connection, told func(doing string)) (map[string]*nb.DB, verdict.Path, error) {
	answer, err := walk.FromPolicies(e.Revision().Verdicts(), c)
	if err != nil || len(answer.Paths) == 0 {
		return nil, verdict.Path{Verdict: verdict.NotApplicable, Reason: answer.Reason}, err
	}
	p := answer.Paths[0]
	for _, zone := range []string{p.From.Zone, p.To.Zone} {
		if zone != "" && p.Verdict != verdict.NotApplicable && rowsOf(e.Revision(), zone) == nil {
			told("zone " + zone + ": " + ovnReads)
			e.awaitRows(ctx, zone)
		}
	}
	r := e.Revision()
	t, err := e.ovnTraces.tracer.Ask(r, c, trace.Rows, false, e.Now())
	if err != nil || len(t.Answer.Paths) == 0 {
		return nil, verdict.Path{Verdict: verdict.NotApplicable, Reason: answer.Reason}, err
	}
	p = t.Answer.Paths[0]
	return map[string]*nb.DB{p.From.Zone: rowsOf(r, p.From.Zone), p.To.Zone: rowsOf(r, p.To.Zone)}, p, nil
}

// rowsOf are a zone's rows as they are held, nil where none are.
func rowsOf(r *revision.Revision, zone string) *nb.DB {
	if z := r.Zone(zone); z != nil {
		return z.DB
	}
	return nil
}

// awaitRows has a zone followed and waits for its rows, as long as that makes sense.
func (e *Engine) awaitRows(ctx context.Context, zone string) {
	ctx, cancel := context.WithTimeout(ctx, ovnRowsWithin)
	defer cancel()
	e.zones.LookAt(zone)
	_ = e.Wait(ctx, func(r *revision.Revision) bool {
		z := r.Zone(zone)
		return z == nil || z.DB != nil || z.Conn == model.ConnDenied
	})
}

// ovnRun runs ovn-trace about one packet, after those that run in the zone already.
func (e *Engine) ovnRun(ctx context.Context, ask *ovntrace.Ask, run ovnRunner, h *flows.OVNHalf, told func(doing string)) error {
	release, err := e.ovnTraces.take(ctx, ask.Zone, func() { told("zone " + ask.Zone + ": " + ovnWaits) })
	if err != nil {
		return err
	}
	defer release()
	told("zone " + ask.Zone + ": " + ovnRuns)
	ctx, cancel := context.WithTimeoutCause(ctx, ovnTraceWithin, fmt.Errorf("ovn-trace did not end within %s", ovnTraceWithin))
	defer cancel()
	var text string
	h.Where, h.Command, text, err = run(ctx, ask)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && errors.Is(err, ctx.Err()) {
			err = cause
		}
		return err
	}
	h.Text = clean.Block(text)
	return nil
}

// ovnTraced takes down where OVN and the rows disagree, and forgets what was said of the
// connection before.
func (s *state) ovnTraced(t *flows.OVNTrace) {
	found := t.Disagreements()
	kept := slices.DeleteFunc(slices.Clone(s.ovnTraces), func(d revision.OVNDisagreement) bool {
		return d.Connection == t.Connection && t.Agreement() != flows.NotCompared
	})
	if len(found) == 0 && len(kept) == len(s.ovnTraces) {
		return
	}
	kept = append(kept, found...)
	if left := len(kept) - maxDisagreements; left > 0 {
		kept = kept[left:]
	}
	s.ovnTraces = kept
	s.Changed()
}

// dropDisagreements forgets those that are about what is gone.
func (s *state) dropDisagreements() {
	if slices.ContainsFunc(s.ovnTraces, func(d revision.OVNDisagreement) bool { return !d.Stands(s.cluster) }) {
		s.ovnTraces = slices.DeleteFunc(slices.Clone(s.ovnTraces), func(d revision.OVNDisagreement) bool { return !d.Stands(s.cluster) })
	}
}
