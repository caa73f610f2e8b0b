package guard

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"rung/change"
	"rung/model"
	"rung/model/lint"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/revision"
	"rung/system"
)

// ClusterFacts holds facts about a cluster beyond its objects.
type ClusterFacts struct {
	// Namespaces protected in addition to the platform's.
	Protected []string
	// Connections that the log has seen allowed; nil without a log.
	Log *diff.LogConnections
}

// JudgeChanges returns the effect of changes on connections, from rev to next, and the guard rails they hit.
// An error is the context's: then nothing is known.
func JudgeChanges(ctx context.Context, rev, next *revision.Revision, changes []change.ObjectChange,
	a ClusterFacts) (*diff.Difference, []change.Guard, error) {
	v := revision.VitalEndpoints(rev)
	d, rails, err := judgeOn(ctx, rev, next, changes, a, vitalWatches(v))
	if err != nil {
		return nil, nil, err
	}
	more, err := judgeNetworks(ctx, rev, next, changes, a, v, d)
	if err != nil {
		return nil, nil, err
	}
	return d, append(rails, more...), nil
}

// judgeOn judges a change on one network; rev and next belong to that network. watches are the
// connections that nearly every pod needs.
func judgeOn(ctx context.Context, rev, next *revision.Revision, changes []change.ObjectChange, a ClusterFacts,
	watches []diff.WatchedEnds) (*diff.Difference, []change.Guard, error) {
	ask := diff.DiffQuestions{Watches: watches, Protected: a.Protected}
	for i := range changes {
		ask.ReportedPolicies = append(ask.ReportedPolicies, changes[i].Key)
	}
	d, err := revision.DiffConnections(rev, ctx, next, ask)
	if err != nil {
		return nil, nil, err
	}
	j := &railCollector{ctx: ctx, rev: rev, next: next, changes: changes, difference: d}
	j.findClosed()
	j.findMuchDenied()
	j.findLoggedDenied(a.Log)
	if n := rev.Network; n == nil || n.Primary {
		j.findNodesCut()
	}
	j.findOpened()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	return d, j.guards, nil
}

// UnknownEffectRails returns the rails of a change whose effect on connections is unknown; why is the reason.
// anything says whether any pods exist. Without pods an unknown effect alone is not a rail.
func UnknownEffectRails(rev *revision.Revision, changes []change.ObjectChange, a ClusterFacts, why string, anything bool) []change.Guard {
	out := policyRails(rev.JudgedCluster(), changes, enforcementFacts{rev.Flags.MaxPriority, rev.Flags.CompileCNP}, a.Protected)
	if anything && len(changes) > 0 {
		out = append(out, newGuard(Unjudged, changes[0].Key, "effect on connections unknown: %s", why))
	}
	return out
}

// vitalWatches returns the connections that nearly every pod needs, in the order of watched.
func vitalWatches(v lint.VitalEndpoints) []diff.WatchedEnds {
	var ports []verdict.PortRange
	for _, proto := range []verdict.Protocol{verdict.UDP, verdict.TCP} {
		if n := v.DNSPorts[string(proto)]; n > 0 {
			ports = append(ports, verdict.PortRange{Protocol: proto, Lo: uint16(n), Hi: uint16(n)})
		}
	}
	dns := map[model.Key]bool{}
	for _, p := range v.DNS {
		dns[p.Key] = len(ports) > 0
	}
	api := uint16(v.APIPort)
	return []diff.WatchedEnds{
		{Pods: dns, Ports: ports},
		{Addrs: v.API, Ports: []verdict.PortRange{{Protocol: verdict.TCP, Lo: api, Hi: api}}},
	}
}

// railCollector collects the rails of a change.
type railCollector struct {
	ctx        context.Context
	rev, next  *revision.Revision
	changes    []change.ObjectChange
	difference *diff.Difference
	guards     []change.Guard
}

func (j *railCollector) addGuard(code string, k model.PolicyKey, about, format string, args ...any) {
	j.guards = append(j.guards, change.Guard{Code: code, Policy: k, About: about, Message: fmt.Sprintf(format, args...)})
}

// changedPolicy returns the changed policy that a rail is about: one that decides, else the first.
func (j *railCollector) changedPolicy(by ...[]verdict.Decider) model.PolicyKey {
	for _, ds := range by {
		for i := range ds {
			if slices.ContainsFunc(j.changes, func(c change.ObjectChange) bool { return c.Key == ds[i].Policy }) {
				return ds[i].Policy
			}
		}
	}
	return j.changes[0].Key
}

// findNodesCut finds webhooks that the API server can no longer call. A node always reaches its own pods, so
// no policy cuts the kubelet's probes.
func (j *railCollector) findNodesCut() {
	namespaces := map[string]bool{}
	for i := range j.changes {
		for _, r := range []*revision.Revision{j.rev, j.next} {
			for pod := range eachSubject(r, j.changes[i].Key) {
				namespaces[pod.Namespace] = true
			}
		}
	}
	callers := lint.WebhookCallers(j.rev.Cluster, j.rev.System.Precedence, lint.FindVitalServices(j.rev.Cluster, j.rev.PodIndex()))
	for q := range lint.WebhookCalls(j.rev.Cluster, callers) {
		if j.ctx.Err() != nil {
			break
		}
		if namespaces[q.To.Key.Namespace] && j.isCut(q) {
			j.addGuard(Nodes, j.changes[0].Key, Nodes, "may cut webhooks that the API server calls, for example %s", q)
			return
		}
	}
}

// eachSubject returns the pods that a policy applies to; for an object that policies refer to, the pods of all
// these policies.
func eachSubject(r *revision.Revision, k model.Key) iter.Seq[*model.Pod] {
	keys := []model.Key{k}
	if k.Kind.IsReferenced() {
		keys = system.PoliciesNaming(r.Cluster, k)
	}
	return func(yield func(*model.Pod) bool) {
		for _, k := range keys {
			for _, p := range r.Subjects(k) {
				if !yield(p) {
					return
				}
			}
		}
	}
}

func (j *railCollector) isCut(q verdict.Connection) bool {
	before, err := verdict.FromPolicies(j.rev.Verdicts(), q)
	if err != nil || before.Verdict == verdict.Deny {
		return false
	}
	after, err := verdict.FromPolicies(j.next.Verdicts(), q)
	return err == nil && isCut(before.Verdict, after.Verdict)
}
