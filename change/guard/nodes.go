package guard

import (
	"slices"

	"rung/model"
	"rung/model/lint/vital"
	"rung/model/verdict"
	"rung/model/verdict/walk"
	"rung/revision"
)

// nodes finds what nodes reach and lose: their own pods, as the kubelet's probes do, and
// Services with port 443, as the API server's webhooks do. One pod of each kind is asked
// about, on the ports that it declares.
func (j *judge) nodes(v vital.Endpoints) {
	kinds, namespaces := map[string]bool{}, map[string]bool{}
	probes := false
	for i := range j.changes {
		c := &j.changes[i]
		for _, r := range []*revision.Revision{j.rev, j.next} {
			for _, pod := range r.Subjects(c.Key) {
				namespaces[pod.Namespace] = true
				kind := pod.Alike()
				if probes || j.ctx.Err() != nil || kinds[kind] {
					continue
				}
				kinds[kind] = true
				if q, cut := j.probeCut(pod); cut {
					probes = true
					j.node(c.Key, "may cut kubelet probes", q)
				}
			}
		}
	}
	callers := j.callers(v)
	for svc := range j.rev.Cluster.Services() {
		if j.ctx.Err() != nil {
			break
		}
		if !namespaces[svc.Namespace] || !slices.ContainsFunc(svc.Ports, func(p model.ServicePort) bool { return p.Port == 443 }) {
			continue
		}
		for _, from := range callers {
			q := verdict.Connection{From: from, To: verdict.ServiceEnd(svc.Namespace, svc.Name), Protocol: verdict.TCP, Port: 443}
			if j.isCut(q) {
				j.node(j.changes[0].Key, "may cut webhooks that the API server calls", q)
				return
			}
		}
	}
}

func (j *judge) node(k model.PolicyKey, what string, q verdict.Connection) {
	g := rail(Nodes, k, "%s, for example %s", what, q)
	g.About = Nodes + k.String() + what
	j.out = append(j.out, g)
}

// callers are the ends from which the API server calls webhooks: the nodes it runs on, or its
// own addresses where it runs on none, or where it is not known what a node sends from.
func (j *judge) callers(v vital.Endpoints) (out []verdict.Endpoint) {
	for _, a := range v.API {
		end := verdict.AddrEnd(a)
		for n := range j.rev.Cluster.Nodes() {
			if len(j.rev.System.Precedence.SourceAddrs(n)) > 0 && (slices.Contains(n.InternalIPs, a.String()) || slices.Contains(n.HostIPs, a.String())) {
				end = verdict.NodeEnd(n.Name)
			}
		}
		if !slices.Contains(out, end) {
			out = append(out, end)
		}
	}
	return out
}

// probeCut asks about a pod's own node and the ports that the pod declares.
func (j *judge) probeCut(pod *model.Pod) (verdict.Connection, bool) {
	for _, p := range pod.Ports {
		q := verdict.Connection{From: verdict.NodeEnd(pod.NodeName), To: verdict.PodEnd(pod.Namespace, pod.Name), Protocol: verdict.TCP, Port: uint16(p.Port)}
		if p.Protocol == "TCP" && j.isCut(q) {
			return q, true
		}
	}
	return verdict.Connection{}, false
}

func (j *judge) isCut(q verdict.Connection) bool {
	before, err := walk.FromPolicies(j.rev.Verdicts(), q)
	if err != nil || before.Verdict == verdict.Deny {
		return false
	}
	after, err := walk.FromPolicies(j.next.Verdicts(), q)
	return err == nil && cuts(before.Verdict, after.Verdict)
}
