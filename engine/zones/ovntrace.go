package zones

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"rung/engine/trace"
	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
)

// ErrNoProgram means that the zone's pod has no ovn-trace.
var ErrNoProgram = errors.New("the zone's pod has no ovn-trace")

const (
	// traceWithin bounds one run, including the search for the pod.
	traceWithin = 30 * time.Second
	// rowsWithin bounds the wait for the rows of a swept zone.
	rowsWithin = 20 * time.Second
	// maxDisagreements bounds the remembered connections on which OVN and the rows disagree.
	maxDisagreements = 100
)

// The activities of an OVNTracer in a zone, as shown.
const (
	reads = "reading the rows"
	waits = "waiting for another trace"
	runs  = "running ovn-trace"
)

// OVNTracer runs ovn-trace, one at a time in each zone.
type OVNTracer struct {
	Parts
	sandbox func() (Runner, error)
	tracer  trace.Tracer

	mu            sync.Mutex
	busyZones     map[string]chan struct{}   // by zone
	disagreements []revision.OVNDisagreement // replaced, never changed
}

// NewOVNTracer returns a tracer that runs ovn-trace in a sandbox; if sandbox is nil, in the cluster's pods.
func NewOVNTracer(sandbox func() (Runner, error)) *OVNTracer {
	return &OVNTracer{sandbox: sandbox, busyZones: map[string]chan struct{}{}}
}

// Start sets the parts of the engine.
func (t *OVNTracer) Start(p Parts) { t.Parts = p }

// takeZone waits until no other trace runs in a zone.
func (t *OVNTracer) takeZone(ctx context.Context, zone string, wait func()) (release func(), err error) {
	t.mu.Lock()
	slot := t.busyZones[zone]
	if slot == nil {
		slot = make(chan struct{}, 1)
		t.busyZones[zone] = slot
	}
	t.mu.Unlock()
	release = func() { <-slot }
	select {
	case slot <- struct{}{}:
		return release, nil
	default:
	}
	wait()
	select {
	case slot <- struct{}{}:
		return release, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for another trace in zone %s: %w", zone, context.Cause(ctx))
	}
}

// Ask asks ovn-trace about a connection, in the source's zone and if needed in the destination's, and compares
// its decision with the rows. told, if set, receives the current activity. A disagreement remains a finding
// until the connection is traced again with agreement, or its policy is deleted. An error wraps ErrNoOVNTrace
// if ovn-trace cannot run, and verdict.ErrQuestion for an invalid question; the answer holds the errors of
// single zones.
func (t *OVNTracer) Ask(ctx context.Context, c verdict.Connection, told func(doing string)) (*revision.OVNTrace, error) {
	if told == nil {
		told = func(string) {}
	}
	run, err := t.currentRunner()
	if err != nil {
		return nil, err
	}
	return t.askRunner(ctx, c, run, told)
}

// askRunner asks like Ask, with a given runner.
func (t *OVNTracer) askRunner(ctx context.Context, c verdict.Connection, run Runner, told func(doing string)) (*revision.OVNTrace, error) {
	answer, err := verdict.FromPolicies(t.Revision().Verdicts(), c)
	if err != nil {
		return nil, err
	}
	out := &revision.OVNTrace{Connection: c}
	if len(answer.Paths) == 0 {
		out.Paths = []revision.OVNPath{{Why: answer.Reason}}
	}
	for i := range answer.Paths {
		w, err := t.tracePath(ctx, directConnection(&answer.Paths[i], c), run, told)
		if err != nil {
			return nil, err
		}
		out.Paths = append(out.Paths, *w)
	}
	out.At = t.Now()
	t.noteDisagreements(out)
	return out, nil
}

// directConnection returns the connection to one endpoint itself.
func directConnection(p *verdict.Path, c verdict.Connection) verdict.Connection {
	out := verdict.Connection{From: p.From.Endpoint, To: p.To.Endpoint, Protocol: c.Protocol, Port: p.To.Port, Family: c.Family}
	if p.To.Addr.IsValid() {
		out.Family = verdict.AddrFamily(p.To.Addr)
	}
	return out
}

// tracePath asks ovn-trace about one path, zone by zone.
func (t *OVNTracer) tracePath(ctx context.Context, c verdict.Connection, run Runner, told func(doing string)) (*revision.OVNPath, error) {
	dbs, rows, err := t.rowsOfZones(ctx, c, told)
	if err != nil {
		return nil, err
	}
	w := &revision.OVNPath{Rows: rows}
	if rows.Verdict == verdict.NotApplicable {
		w.Why = rows.Reason
		return w, nil
	}
	asks, err := flow.PlanQuestions(t.Revision().Cluster, &rows, c.Protocol, func(zone string) *nb.DB { return dbs[zone] })
	if errors.Is(err, flow.ErrNotTraced) {
		w.Why = err.Error()
		return w, nil
	}
	if err != nil {
		return nil, err
	}
	for i := range asks {
		h := revision.OVNZoneTrace{Zone: asks[i].Zone}
		if err := t.runTrace(ctx, &asks[i], run, &h, told); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			h.Error = words.CleanText(err.Error())
		}
		w.Zones = append(w.Zones, h)
		if h.Error == "" && h.ReadOutput(&asks[i], rows.Stages, revision.NewRuleFinder(t.Revision(), h.Zone)) == verdict.Deny {
			break // denied here
		}
	}
	after, now, err := t.rowsOfZones(ctx, c, told)
	if err != nil {
		return nil, err
	}
	w.Rows = now
	for i := range w.Zones {
		h := &w.Zones[i]
		if h.Error != "" {
			continue
		}
		was := *h
		h.Changed = !slices.EqualFunc(rows.Stages, now.Stages, sameAnswer)
		h.Progress = flow.ReadProgress(after[h.Zone], nil)
		finder := revision.NewRuleFinder(t.Revision(), h.Zone)
		h.ReadOutput(&asks[i], now.Stages, finder)
		if h.Changed && h.DisagreementCause() != "" {
			// The flows read may still be of the earlier rows.
			was.ReadOutput(&asks[i], rows.Stages, finder)
			if was.DisagreementCause() == "" {
				*h = was
			}
		}
	}
	return w, nil
}

// sameAnswer reports whether two answers of a stage are equal.
func sameAnswer(a, b verdict.StageVerdict) bool {
	none := &verdict.Decider{}
	return a.Verdict == b.Verdict && cmp.Or(a.Decided, none).ACL == cmp.Or(b.Decided, none).ACL && len(a.Passed) == len(b.Passed)
}

// rowsOfZones returns the rows of a connection's zones and their decision. It follows swept zones for that.
func (t *OVNTracer) rowsOfZones(ctx context.Context, c verdict.Connection, told func(doing string)) (map[string]*nb.DB, verdict.Path,
	error) {
	answer, err := verdict.FromPolicies(t.Revision().Verdicts(), c)
	if err != nil || len(answer.Paths) == 0 {
		return nil, verdict.Path{Verdict: verdict.NotApplicable, Reason: answer.Reason}, err
	}
	p := answer.Paths[0]
	for _, zone := range []string{p.From.Zone, p.To.Zone} {
		if zone != "" && p.Verdict != verdict.NotApplicable && heldRows(t.Revision(), zone) == nil {
			told("zone " + zone + ": " + reads)
			t.awaitRows(ctx, zone)
		}
	}
	r := t.Revision()
	rows, err := t.tracer.Ask(r, c, trace.Rows, false, t.Now())
	if err != nil || len(rows.Answer.Paths) == 0 {
		return nil, verdict.Path{Verdict: verdict.NotApplicable, Reason: answer.Reason}, err
	}
	p = rows.Answer.Paths[0]
	return map[string]*nb.DB{p.From.Zone: heldRows(r, p.From.Zone), p.To.Zone: heldRows(r, p.To.Zone)}, p, nil
}

// heldRows returns the rows held of a zone; nil if none.
func heldRows(r *revision.Revision, zone string) *nb.DB {
	if z := r.Zone(zone); z != nil {
		return z.DB
	}
	return nil
}

// awaitRows has a zone followed and waits for its rows, at most rowsWithin, or until it is gone or denied.
func (t *OVNTracer) awaitRows(ctx context.Context, zone string) {
	ctx, cancel := context.WithTimeout(ctx, rowsWithin)
	defer cancel()
	t.Zones.LookAt(zone)
	_ = t.WaitFor(ctx, func(r *revision.Revision) bool {
		z := r.Zone(zone)
		return z == nil || z.DB != nil || z.Conn == model.ConnDenied
	})
}

// runTrace runs ovn-trace about one packet, after other traces in the zone.
func (t *OVNTracer) runTrace(ctx context.Context, ask *flow.PacketQuestion, run Runner, h *revision.OVNZoneTrace,
	told func(doing string)) error {
	release, err := t.takeZone(ctx, ask.Zone, func() { told("zone " + ask.Zone + ": " + waits) })
	if err != nil {
		return err
	}
	defer release()
	told("zone " + ask.Zone + ": " + runs)
	ctx, cancel := context.WithTimeoutCause(ctx, traceWithin, fmt.Errorf("ovn-trace did not end within %s", traceWithin))
	defer cancel()
	var text string
	h.RunAt, h.Command, text, err = run(ctx, ask)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && errors.Is(err, ctx.Err()) {
			err = cause
		}
		return err
	}
	h.Text = words.CleanBlock(text)
	return nil
}

// noteDisagreements records where OVN and the rows disagree, and forgets earlier disagreements about the
// connection.
func (t *OVNTracer) noteDisagreements(of *revision.OVNTrace) {
	found := of.Disagreements()
	t.mu.Lock()
	kept := slices.DeleteFunc(slices.Clone(t.disagreements), func(d revision.OVNDisagreement) bool {
		return d.Connection == of.Connection && of.Agreement() != revision.NotCompared
	})
	changed := len(found) > 0 || len(kept) != len(t.disagreements)
	kept = append(kept, found...)
	t.disagreements = kept[max(len(kept)-maxDisagreements, 0):]
	t.mu.Unlock()
	if changed {
		t.Do(t.MarkChanged)
	}
}

// Disagreements returns the disagreements, and forgets those about deleted policies and ends.
func (t *OVNTracer) Disagreements(c *model.Cluster) []revision.OVNDisagreement {
	t.mu.Lock()
	defer t.mu.Unlock()
	gone := func(d revision.OVNDisagreement) bool { return !d.StillApplies(c) }
	if slices.ContainsFunc(t.disagreements, gone) {
		t.disagreements = slices.DeleteFunc(slices.Clone(t.disagreements), gone)
	}
	return t.disagreements
}
