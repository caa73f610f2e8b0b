package lab

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"rung/engine/trace"
	"rung/model"
	"rung/model/ovn/match"
	"rung/model/verdict"
	"rung/revision"
	"rung/sources/sandbox"
)

const (
	// probeWithin bounds a probe, including waits for flows and every packet.
	probeWithin = 30 * time.Second
	// probeSettles bounds how long a probe waits for rows being written.
	probeSettles = 5 * time.Second
)

// Probe sends a connection's packets through the sandbox, there and back, and judges the outcome. at, if not
// nil, is called for each phase. It ends with ctx, and after its own time limit.
func (l *Lab) Probe(ctx context.Context, c verdict.Connection, at func(trace.ProbePhase)) (*trace.Result, error) {
	if at == nil {
		at = func(trace.ProbePhase) {}
	}
	if err := trace.CheckPossible(l.Revision().Mode); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, probeWithin, fmt.Errorf("no result within %s", probeWithin))
	defer cancel()
	defer context.AfterFunc(l.Context(), cancel)()
	at(trace.Waits)
	sb, err := l.probedSandbox(ctx)
	if err != nil {
		return nil, err
	}
	_, policies, err := askOnNetwork(l.Revision(), c)
	if err != nil {
		return nil, err
	}
	l.awaitWritten(ctx, policies.Paths)
	before := l.Revision()
	on, policies, err := askOnNetwork(before, c)
	if err != nil {
		return nil, err // an end was deleted meanwhile
	}
	sent := make([]trace.PathPackets, len(policies.Paths))
	for i := range policies.Paths {
		if err := l.sendPath(ctx, sb, on, &policies.Paths[i], c.Protocol, &sent[i], at); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = fmt.Errorf("%w: %w", cause, err)
			}
			return nil, fmt.Errorf("probe %s: %w", c, err)
		}
	}
	return trace.JudgePackets(before, l.Revision(), c, sent, l.Now())
}

// askOnNetwork asks the policies about a connection on the network of both ends. Ends on networks that do not
// reach each other have no path.
func askOnNetwork(r *revision.Revision, c verdict.Connection) (on *revision.Revision, a verdict.Answer, err error) {
	on, apart, err := revision.ForConnection(r, c)
	if err != nil || apart != nil {
		return r, a, err
	}
	a, err = verdict.FromPolicies(on.Verdicts(), c)
	return on, a, err
}

// probedSandbox returns the sandbox once it has started.
func (l *Lab) probedSandbox(ctx context.Context) (sb *sandbox.Sandbox, err error) {
	err = l.WaitFor(ctx, func(*revision.Revision) bool {
		sb, _ = l.Sandbox()
		return sb != nil
	})
	if err != nil {
		return nil, fmt.Errorf("the sandbox has not started: %w", err)
	}
	if sb.OVN() == "" {
		return nil, cmp.Or(sb.WithoutOVN(), sandbox.ErrNoOVN)
	}
	return sb, nil
}

// awaitWritten waits a moment until the zones of the paths have their desired rows.
func (l *Lab) awaitWritten(ctx context.Context, paths []verdict.Path) {
	over := map[string]bool{}
	for i := range paths {
		for _, s := range paths[i].Stages {
			over[s.Zone] = true
		}
	}
	ctx, cancel := context.WithTimeout(ctx, probeSettles)
	defer cancel()
	_ = l.WaitFor(ctx, func(r *revision.Revision) bool {
		for name := range over {
			if z := r.Zone(name); z == nil || !settledZone(z, l.Now()) {
				return false
			}
		}
		return true
	}) // unsettled rows are judged as found
}

// settledZone reports whether a zone's rows were judged and none is being written.
func settledZone(z *model.ZoneState, now time.Time) bool {
	if z.DB == nil || z.Judging || z.Pending > 0 {
		return false
	}
	for _, p := range z.Policies {
		if p.StateAt(z, now) == model.StateSettling {
			return false
		}
	}
	return true
}

var probeProtocols = map[verdict.Protocol]match.Proto{verdict.TCP: match.TCP, verdict.UDP: match.UDP, verdict.SCTP: match.SCTP,
	verdict.ICMP: match.ICMP}

// sendPath sends the packets of one path.
func (l *Lab) sendPath(ctx context.Context, sb *sandbox.Sandbox, r *revision.Revision, p *verdict.Path, proto verdict.Protocol,
	out *trace.PathPackets, at func(trace.ProbePhase)) error {
	from, to := findPodWithPort(r, &p.From), findPodWithPort(r, &p.To)
	out.NotSent = trace.NotSentReason(p, from, to)
	if out.NotSent != "" {
		return nil
	}
	steps, made, err := sb.ProbePackets(ctx, sandbox.ProbeRequest{From: newProbeEnd(r, &p.From, from), To: newProbeEnd(r, &p.To, to),
		Proto: probeProtocols[proto],
		Port:  p.To.Port, Sending: func() { at(trace.Sends) }})
	if err != nil {
		return err
	}
	out.AllDelivered = made
	for _, s := range steps {
		step := trace.PacketStep{Packet: s.Packet, Reply: s.Reply, Zone: s.Zone, EntryPort: s.EntryPort, ExitPorts: s.ExitPorts,
			Delivered: s.Passed}
		for _, m := range s.Met {
			step.Met = append(step.Met, trace.MetACL{Stage: metIn[m.Stage], ACL: m.ACL})
		}
		out.Steps = append(out.Steps, step)
	}
	return nil
}

// metIn maps the stages in which northd evaluates ACLs to the model's stages.
var metIn = map[string]model.Stage{sandbox.StageIn: model.StageFromLport, sandbox.StageAfterLB: model.StageAfterLB,
	sandbox.StageOut: model.StageToLport}

// findPodWithPort returns an end's pod with its own port, or nil.
func findPodWithPort(r *revision.Revision, end *verdict.End) *model.Pod {
	if end.Key.Kind != model.KindPod {
		return nil
	}
	if p := r.JudgedCluster().Pod(end.Key.Namespace, end.Key.Name); p != nil && !p.HostNetwork {
		return p
	}
	return nil
}

// newProbeEnd converts an end for packets, on the revision's network.
func newProbeEnd(r *revision.Revision, end *verdict.End, pod *model.Pod) sandbox.ProbeEnd {
	out := sandbox.ProbeEnd{Zone: end.Zone, Addr: end.Addr}
	switch {
	case pod != nil && len(pod.PortNames()) > 0:
		out.Port = pod.PortNames()[0]
	case pod == nil && end.Zone != "" && r.Network != nil:
		out.NodePort = r.Network.ManagementPort(end.Zone)
	}
	return out
}
