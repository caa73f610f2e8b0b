package zones

import (
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

// ErrNoProgram says that the zone's pod has no ovn-trace.
var ErrNoProgram = errors.New("the zone's pod has no ovn-trace")

const (
	// traceWithin bounds one run, with looking for the pod.
	traceWithin = 30 * time.Second
	// rowsWithin is how long rows of a zone are waited for that is only swept.
	rowsWithin = 20 * time.Second
	// maxDisagreements is how many connections are kept on which OVN and the rows
	// disagree.
	maxDisagreements = 100
)

// The activities of an OVNTrace in a zone, in the words that are told.
const (
	reads = "reading the rows"
	waits = "waiting for another trace"
	runs  = "running ovn-trace"
)

// OVNTracer asks ovn-trace: one at a time in each zone.
type OVNTracer struct {
	Parts
	sandbox func() (Runner, error)
	tracer  trace.Tracer

	mu            sync.Mutex
	busyZones     map[string]chan struct{}   // by zone
	disagreements []revision.OVNDisagreement // replaced, never changed
}

// NewOVNTracer makes one that runs ovn-trace in a sandbox, or where that is nil in the pods of the
// cluster.
func NewOVNTracer(sandbox func() (Runner, error)) *OVNTracer {
	return &OVNTracer{sandbox: sandbox, busyZones: map[string]chan struct{}{}}
}

// Start gives it the parts of the engine.
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

// Ask asks ovn-trace about a connection, in the source's zone and where it goes on in
// the destination's, and holds what it decides against the rows. told, where set, hears
// what is being done. Where the two disagree it is a finding until the connection is traced
// again and they agree, or until a policy is gone that it is about. An error wraps
// rooms.ErrNoOVNTrace where none can be run, and verdict.ErrQuestion where the question makes no
// sense; what keeps one zone from answering is in its half.
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

// askRunner is Ask by a given runner.
func (t *OVNTracer) askRunner(ctx context.Context, c verdict.Connection, run Runner, told func(doing string)) (*revision.OVNTrace, error) {
	answer, err := verdict.FromPolicies(t.Revision().Verdicts(), c)
	if err != nil {
		return nil, err
	}
	out := &revision.OVNTrace{Connection: c}
	if len(answer.Paths) == 0 {
		out.Ways = []revision.OVNWay{{Why: answer.Reason}}
	}
	for i := range answer.Paths {
		w, err := t.traceWay(ctx, directConnection(&answer.Paths[i], c), run, told)
		if err != nil {
			return nil, err
		}
		out.Ways = append(out.Ways, *w)
	}
	out.At = t.Now()
	t.noteDisagreements(out)
	return out, nil
}

// directConnection is the connection to one endpoint itself.
func directConnection(p *verdict.Path, c verdict.Connection) verdict.Connection {
	out := verdict.Connection{From: p.From.Endpoint, To: p.To.Endpoint, Protocol: c.Protocol, Port: p.To.Port, Family: c.Family}
	if p.To.Addr.IsValid() {
		out.Family = verdict.FamilyOf(p.To.Addr)
	}
	return out
}

// traceWay asks about the way between two ends.
func (t *OVNTracer) traceWay(ctx context.Context, c verdict.Connection, run Runner, told func(doing string)) (*revision.OVNWay, error) {
	dbs, rows, err := t.rowsOfZones(ctx, c, told)
	if err != nil {
		return nil, err
	}
	w := &revision.OVNWay{Rows: rows}
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
		h := revision.OVNZoneWay{Zone: asks[i].Zone}
		if err := t.runTrace(ctx, &asks[i], run, &h, told); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			h.Error = words.CleanText(err.Error())
		}
		w.Zones = append(w.Zones, h)
		if h.Error == "" && h.ReadOutput(&asks[i], rows.Stages, revision.NewRuleFinder(t.Revision(), h.Zone)) == verdict.Deny {
			break // it goes no further
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
		h.Progress = flow.ProgressOf(after[h.Zone], nil)
		finder := revision.NewRuleFinder(t.Revision(), h.Zone)
		h.ReadOutput(&asks[i], now.Stages, finder)
		if h.Changed && h.DisagreementCause() != "" {
			// The flows that were read may be of the earlier rows.
			was.ReadOutput(&asks[i], rows.Stages, finder)
			if was.DisagreementCause() == "" {
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

// rowsOfZones are the rows of the zones of a connection and what they decide. Zones that are
// only swept are followed for it.
func (t *OVNTracer) rowsOfZones(ctx context.Context, c verdict.Connection, told func(doing string)) (map[string]*nb.DB, verdict.Path,
	error) {
	answer, err := verdict.FromPolicies(t.Revision().Verdicts(), c)
	if err != nil || len(answer.Paths) == 0 {
		return nil, verdict.Path{Verdict: verdict.NotApplicable, Reason: answer.Reason}, err
	}
	p := answer.Paths[0]
	for _, zone := range []string{p.From.Zone, p.To.Zone} {
		if zone != "" && p.Verdict != verdict.NotApplicable && rowsOf(t.Revision(), zone) == nil {
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
func (t *OVNTracer) awaitRows(ctx context.Context, zone string) {
	ctx, cancel := context.WithTimeout(ctx, rowsWithin)
	defer cancel()
	t.Zones.LookAt(zone)
	_ = t.WaitFor(ctx, func(r *revision.Revision) bool {
		z := r.Zone(zone)
		return z == nil || z.DB != nil || z.Conn == model.ConnDenied
	})
}

// runTrace runs ovn-trace about one packet, after those that run in the zone already.
func (t *OVNTracer) runTrace(ctx context.Context, ask *flow.PacketQuestion, run Runner, h *revision.OVNZoneWay,
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

// noteDisagreements takes down where OVN and the rows disagree, and forgets what was said of the
// connection before.
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
