package gate

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rung/engine/revision"
	"rung/model"
	"rung/model/lint"
	"rung/model/verdict"
	"rung/model/words"
)

// Codes of guard rails that are judged from what a change does to connections, alike for
// every operation.
const (
	// GuardDNS: pods lose the cluster's DNS.
	GuardDNS = "dns-cut"
	// GuardAPI: pods lose the API server.
	GuardAPI = "api-cut"
	// GuardSystem: connections to pods in system namespaces are denied.
	GuardSystem = "system-cut"
	// GuardNodes: nodes lose pods: kubelet probes and webhooks.
	GuardNodes = "nodes-cut"
	// GuardOpens: what a Deny of an admin policy keeps shut gets through.
	GuardOpens = "opens"
)

var watchCodes = []struct{ code, what string }{
	{GuardDNS, "cluster DNS"}, {GuardAPI, "the API server"}, {GuardSystem, "system namespaces"},
}

// effectGuards are the guards of what becomes of connections.
func effectGuards(d *verdict.Difference, changes []ObjectChange) (out []Guard) {
	dns := 0
	for i, w := range watchCodes {
		for j := range d.Watched[i] {
			g := &d.Watched[i][j]
			if !cuts(g) {
				continue
			}
			if w.code == GuardDNS {
				dns += g.Pairs
			}
			if w.code == GuardSystem && g.Pairs == dns && onlyPorts(g.Ports, d.Watched[0]) {
				continue // said already
			}
			out = append(out, cutGuard(w.code, w.what, g, changes))
		}
	}
	return append(out, opens(d, changes)...)
}

// cuts says whether connections are denied that were not, or may be.
func cuts(g *verdict.Group) bool {
	return g.After == verdict.Deny || g.After == verdict.Undefined && g.Before == verdict.Allow
}

func onlyPorts(ports []verdict.PortRange, of []verdict.Group) bool {
	return !slices.ContainsFunc(ports, func(p verdict.PortRange) bool {
		return !slices.ContainsFunc(of, func(g verdict.Group) bool { return slices.Contains(g.Ports, p) })
	})
}

func cutGuard(code, what string, g *verdict.Group, changes []ObjectChange) Guard {
	whom := g.Example.To.String()
	if g.To.Pods > 0 {
		whom = some(g.To)
	}
	if code == GuardSystem {
		whom = revision.EndsText(g.To)
	}
	cuts, loses, becomes := "cuts", "can no longer reach", "denied by"
	if g.After == verdict.Undefined {
		cuts, loses, becomes = "may cut", "may no longer reach", "undefined between"
	}
	from := "addresses outside"
	if g.From.Pods > 0 {
		from = words.Total(g.From.Pods, "pod")
	}
	policy := changedBy(changes, g.ByAfter, g.ByBefore)
	return Guard{Code: code, Policy: policy, about: fmt.Sprint(code, policy, g.After, g.From.Namespaces, g.To.Namespaces),
		Message: fmt.Sprintf("%s %s: %s %s %s on %s, for example %s, %s %s", cuts, what, from, loses, whom, revision.PortsText(g.Ports),
			g.Example, becomes, revision.DecidersText(g.ByAfter))}
}

// changedBy is the policy of the change that a guard is about: one that decides, else the
// first.
func changedBy(changes []ObjectChange, by ...[]verdict.Decider) model.PolicyKey {
	for _, ds := range by {
		for i := range ds {
			if slices.ContainsFunc(changes, func(c ObjectChange) bool { return c.Key == ds[i].Policy }) {
				return ds[i].Policy
			}
		}
	}
	return changes[0].Key
}

// opens is the guard of what a Deny kept shut. That a NetworkPolicy lets through what the
// baseline denies is what a baseline is for: where no admin policy changes there is none.
func opens(d *verdict.Difference, changes []ObjectChange) []Guard {
	if !slices.ContainsFunc(changes, func(c ObjectChange) bool { return c.Key.Kind.IsAdmin() }) {
		return nil
	}
	var first *verdict.Group
	var is []string
	for i := range d.Flips {
		g := &d.Flips[i]
		if g.After == verdict.Unknown || !g.KeptShut() {
			continue
		}
		if first == nil || first.After != verdict.Allow && g.After == verdict.Allow {
			first = g
		}
		is = append(is, groupIs(g))
	}
	if first == nil {
		return nil
	}
	opens := "opens"
	if first.After == verdict.Undefined {
		opens = "may open"
	}
	policy := changedBy(changes, first.ByAfter, first.ByBefore)
	slices.Sort(is)
	return []Guard{{Code: GuardOpens, Policy: policy, about: strings.Join(is, "\n"), Message: fmt.Sprintf("%s what a Deny keeps shut: %s, for example %s, denied before by %s",
		opens, revision.OpenedText(d), first.Example, revision.DecidersText(first.ByBefore))}}
}

// nodeKinds is how many kinds of pods, and how many Services, nodeGuards asks about.
const nodeKinds = 500

// nodeGuards are the guards of what nodes reach: their own pods, as the kubelet's probes do,
// and Services with port 443, as the API server's webhooks do. One pod of each kind is asked
// about, on the ports that it declares.
func nodeGuards(ctx context.Context, rev, next *revision.Revision, v lint.Vital, changes []ObjectChange) (out []Guard) {
	kinds, namespaces := map[string]bool{}, map[string]bool{}
	probes := false
	for i := range changes {
		c := &changes[i]
		for _, r := range []*revision.Revision{rev, next} {
			for _, pod := range r.Subjects(c.Key) {
				namespaces[pod.Namespace] = true
				kind := pod.Alike()
				if probes || ctx.Err() != nil || len(kinds) == nodeKinds || kinds[kind] {
					continue
				}
				kinds[kind] = true
				if q, cut := probeCut(rev, next, pod); cut {
					probes = true
					out = append(out, nodeGuard(c.Key, "may cut kubelet probes", q))
				}
			}
		}
	}
	var servers []*model.Node
	for n := range rev.Cluster.Nodes() {
		if servesAPI(n, v) {
			servers = append(servers, n)
		}
	}
	asked := 0
	for svc := range rev.Cluster.Services() {
		if asked == nodeKinds || ctx.Err() != nil {
			break
		}
		if !namespaces[svc.Namespace] || !slices.ContainsFunc(svc.Ports, func(p model.ServicePort) bool { return p.Port == 443 }) {
			continue
		}
		asked++
		for _, n := range servers {
			q := verdict.Connection{From: verdict.NodeEnd(n.Name), To: verdict.ServiceEnd(svc.Namespace, svc.Name), Protocol: verdict.TCP, Port: 443}
			if isCut(rev, next, q) {
				return append(out, nodeGuard(changes[0].Key, "may cut webhooks that the API server calls", q))
			}
		}
	}
	return out
}

func nodeGuard(k model.PolicyKey, what string, q verdict.Connection) Guard {
	return Guard{Code: GuardNodes, Policy: k, about: GuardNodes + k.String() + what, Message: fmt.Sprintf("%s, for example %s", what, q)}
}

// servesAPI says whether the API server runs on a node.
func servesAPI(n *model.Node, v lint.Vital) bool {
	return slices.ContainsFunc(v.API, func(a netip.Addr) bool {
		return slices.Contains(n.InternalIPs, a.String()) || slices.Contains(n.HostIPs, a.String())
	})
}

// probeCut asks about a pod's own node and the ports that the pod declares.
func probeCut(rev, next *revision.Revision, pod *model.Pod) (verdict.Connection, bool) {
	for _, p := range pod.Ports {
		q := verdict.Connection{From: verdict.NodeEnd(pod.NodeName), To: verdict.PodEnd(pod.Namespace, pod.Name), Protocol: verdict.TCP, Port: uint16(p.Port)}
		if p.Protocol == "TCP" && isCut(rev, next, q) {
			return q, true
		}
	}
	return verdict.Connection{}, false
}

func isCut(rev, next *revision.Revision, q verdict.Connection) bool {
	before, err := rev.Verdicts().FromPolicies(q)
	if err != nil || before.Verdict == verdict.Deny {
		return false
	}
	after, err := next.Verdicts().FromPolicies(q)
	return err == nil && after.Verdict == verdict.Deny
}
