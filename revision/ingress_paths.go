package revision

import (
	"slices"
	"strconv"

	"rung/model"
	"rung/model/verdict"
)

// IngressPath is a path from outside the cluster to a workload: through an Ingress, an HTTPRoute or a Route, and a
// Service.
type IngressPath struct {
	Key        model.Key // the Ingress, HTTPRoute or Route
	Host, Path string    // empty for any
	Service    model.Key
	// To is the workload behind the Service, nil if it has no pod. Ports are the workload's ports.
	To    *End
	Ports []verdict.PortRange
	// Controllers are the known workloads of ingress controllers, with their verdicts. If empty, it is unknown.
	Controllers []ControllerVerdict
	// Broken says why the path leads nowhere; empty if it works.
	Broken string
}

// ControllerVerdict holds the verdicts of an ingress controller's connections.
type ControllerVerdict struct {
	From   *End
	States []PortState
}

// IngressPaths returns the paths from outside to the workloads of a table, in the order of the objects.
func (t *VerdictTable) IngressPaths(r *Revision) (out []IngressPath) {
	for _, w := range model.EntryPoints(r.Cluster) {
		for i := range w.Targets {
			out = append(out, t.pathsOfTarget(r, w, &w.Targets[i])...)
		}
	}
	return out
}

// pathsOfTarget returns the paths of one target: one to each workload behind its Service.
func (t *VerdictTable) pathsOfTarget(r *Revision, w *model.EntryPoint, target *model.Target) (out []IngressPath) {
	way := IngressPath{Key: w.Key, Host: target.Host, Path: target.Path,
		Service: model.Key{Kind: model.KindService, Namespace: target.Namespace, Name: target.Service}}
	s, _ := r.Cluster.Get(way.Service).(*model.Service)
	if s == nil {
		way.Broken = "Service " + way.Service.NamespacedName() + " does not exist"
		return []IngressPath{way}
	}
	port := slices.IndexFunc(s.Ports, func(p model.ServicePort) bool {
		return target.Port == "" && len(s.Ports) == 1 || p.Name == target.Port || strconv.Itoa(int(p.Port)) == target.Port ||
			p.TargetPort == target.Port
	})
	if port < 0 {
		way.Broken = "Service " + way.Service.NamespacedName() + " has no such port"
		return []IngressPath{way}
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
				one.Controllers = append(one.Controllers, ControllerVerdict{e, statesOn(t.States(from, to), ports)})
			}
		}
		out = append(out, one)
	}
	if len(out) == 0 {
		way.Broken = "Service " + way.Service.NamespacedName() + " leads to no pod that policies can select"
		return []IngressPath{way}
	}
	return out
}

// targetPorts returns the ports of an end's pods that a Service port leads to, if it selects them.
func (t *VerdictTable) targetPorts(end int, s *model.Service, p *model.ServicePort) (out []verdict.PortRange) {
	if t.Ends[end].IsOutside() || t.Ends[end].Namespace != s.Namespace || len(s.Selector.Map()) == 0 {
		return nil
	}
	selector := model.SelectLabels(s.Selector)
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
