package logs

import (
	"rung/engine/logs"
	"rung/engine/revision"
	"rung/model"
)

// scope is what the page is about: a policy, one of its rules, or a pod. Of a
// NetworkPolicy it is also what the default deny of its namespace does to the
// policy's pods.
func (v *logPage) scope() func(*logs.Entry) bool {
	p := v.page
	switch {
	case p.Key.Kind == model.KindPod:
		return func(e *logs.Entry) bool { return e.Src.Key == p.Key || e.Dst.Key == p.Key }
	case p.Key.Name == "" && p.Key.Kind == "":
		return nil
	case p.Dir != "":
		return func(e *logs.Entry) bool {
			return e.Rule.Policy == p.Key && e.Rule.Direction == p.Dir && e.Rule.Rule == p.Rule
		}
	case p.Key.Kind == model.KindNP:
		return func(e *logs.Entry) bool { return e.Rule.Policy == p.Key || v.denied(e) }
	}
	return func(e *logs.Entry) bool { return e.Rule.Policy == p.Key }
}

// denied says whether the default deny dropped what a pod of the page's
// NetworkPolicy sent or should have got, in a direction in which that isolates it.
func (v *logPage) denied(e *logs.Entry) bool {
	k := v.page.Key
	if !isDeny(e.Rule) || e.Rule.Policy.Namespace != k.Namespace || !e.Attributed || v.rev == nil {
		return false
	}
	end := &e.Src
	if e.Rule.Direction == model.Ingress {
		end = &e.Dst
	}
	p, pod := v.rev.Cluster.Policy(k), v.rev.Cluster.Pod(end.Key.Namespace, end.Key.Name)
	return p != nil && pod != nil && end.Key.Kind == model.KindPod && !revision.OutsideTypes(p, e.Rule.Direction) && v.rev.IsSubject(k, pod)
}
