package revision

import (
	"slices"
	"strconv"

	"rung/model"
	"rung/model/verdict"
)

// WayIn is a way from outside the cluster to a workload: through an Ingress, an HTTPRoute or a Route,
// and a Service.
type WayIn struct {
	Key        model.Key // of the object
	Host, Path string    // empty for any
	Service    model.Key
	// To is the workload behind the Service, nil where no pod is; Ports are those at which it is
	// reached.
	To    *End
	Ports []verdict.PortRange
	// Controllers are the workloads of ingress controllers that are known, with the verdict of the
	// connections from each; without any, nobody can tell.
	Controllers []WayInVerdict
	// Broken says what keeps it from leading anywhere; empty for nothing.
	Broken string
}

// WayInVerdict is the verdict of the connections of an ingress controller.
type WayInVerdict struct {
	From   *End
	States []PortState
}

// WaysIn lists the ways from outside to the workloads of a table, in the order of the objects.
func (t *Table) WaysIn(r *Revision) (out []WayIn) {
	for _, w := range model.WaysIn(r.Cluster) {
		for i := range w.Targets {
			out = append(out, t.waysOf(r, w, &w.Targets[i])...)
		}
	}
	return out
}

// waysOf are the ways of one target: one to each workload behind its Service.
func (t *Table) waysOf(r *Revision, w *model.WayIn, target *model.Target) (out []WayIn) {
	way := WayIn{Key: w.Key, Host: target.Host, Path: target.Path, Service: model.Key{Kind: model.KindService, Namespace: target.Namespace,
		Name: target.Service}}
	s, _ := r.Cluster.Get(way.Service).(*model.Service)
	if s == nil {
		way.Broken = "Service " + way.Service.NamespacedName() + " does not exist"
		return []WayIn{way}
	}
	port := slices.IndexFunc(s.Ports, func(p model.ServicePort) bool {
		return target.Port == "" && len(s.Ports) == 1 || p.Name == target.Port || strconv.Itoa(int(p.Port)) == target.Port ||
			p.TargetPort == target.Port
	})
	if port < 0 {
		way.Broken = "Service " + way.Service.NamespacedName() + " has no such port"
		return []WayIn{way}
	}
	for to := range t.Ends {
		ports := t.targetPorts(to, s, &s.Ports[port])
		if len(ports) == 0 {
			continue
		}
		one := way
		one.To, one.Ports = &t.Ends[to], ports
		for from := range t.Ends {
			if e := &t.Ends[from]; !e.IsOutside() && !e.IsImagined() && model.IsIngressNamespace(e.Namespace) {
				one.Controllers = append(one.Controllers, WayInVerdict{e, statesOn(t.States(from, to), ports)})
			}
		}
		out = append(out, one)
	}
	if len(out) == 0 {
		way.Broken = "no pod is behind Service " + way.Service.NamespacedName()
		return []WayIn{way}
	}
	return out
}

// targetPorts are the ports of an end's pods that a port of a Service leads to; none where the Service
// does not select them.
func (t *Table) targetPorts(end int, s *model.Service, p *model.ServicePort) (out []verdict.PortRange) {
	if t.Ends[end].IsOutside() || t.Ends[end].Namespace != s.Namespace || len(s.Selector.Map()) == 0 {
		return nil
	}
	selector := model.SelectorOf(s.Selector)
	for _, i := range t.finder.pods[end] {
		pod := t.finder.c.Index.Pods.PodAt(int(i))
		if !selector.Matches(pod.Labels) {
			continue
		}
		number := p.Port
		if n, err := strconv.Atoi(p.TargetPort); err == nil && n != 0 {
			number = int32(n)
		} else if p.TargetPort != "" && err != nil {
			number = 0
			for _, c := range pod.Ports {
				if c.Name == p.TargetPort {
					number = c.Port
				}
			}
		}
		if r := (verdict.PortRange{Protocol: verdict.Protocol(p.Protocol), Lo: uint16(number), Hi: uint16(number)}); number > 0 &&
			!slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return verdict.JoinPorts(out)
}

// statesOn are the states at some ports.
func statesOn(all []PortState, ports []verdict.PortRange) (out []PortState) {
	for i := range all {
		for _, p := range ports {
			if s := &all[i]; s.Protocol == p.Protocol && s.Lo <= p.Lo && p.Hi <= s.Hi {
				out = append(out, *s)
			}
		}
	}
	return out
}
