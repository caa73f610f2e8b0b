package logs

import (
	"rung/engine/logs/entries"
	"rung/model"
	"rung/revision"
	"rung/revision/connections"
	"rung/ui/logs/line"
	"rung/ui/nav"
)

// scope is what the page is about: a policy, one of its rules, or a pod. Of a
// NetworkPolicy it is also what the default deny of its namespace does to the
// policy's pods.
// It is of that revision, nil for none yet.
func scopeOf(p nav.Page, rev *revision.Revision) func(*entries.Entry) bool {
	switch {
	case p.Key.Kind == model.KindPod:
		return func(e *entries.Entry) bool { return e.Src.Key == p.Key || e.Dst.Key == p.Key }
	case p.Key.Name == "" && p.Key.Kind == "":
		return nil
	case p.Dir != "":
		return func(e *entries.Entry) bool {
			return e.Rule.Policy == p.Key && e.Rule.Direction == p.Dir && e.Rule.Rule == p.Rule
		}
	case p.Key.Kind == model.KindNP:
		return func(e *entries.Entry) bool { return e.Rule.Policy == p.Key || denied(p.Key, rev, e) }
	}
	return func(e *entries.Entry) bool { return e.Rule.Policy == p.Key }
}

// denied says whether the default deny dropped what a pod of the page's
// NetworkPolicy sent or should have got, in a direction in which that isolates it.
func denied(k model.PolicyKey, rev *revision.Revision, e *entries.Entry) bool {
	if !line.IsDeny(e.Rule) || e.Rule.Policy.Namespace != k.Namespace || !e.Attributed || rev == nil {
		return false
	}
	end := &e.Src
	if e.Rule.Direction == model.Ingress {
		end = &e.Dst
	}
	p, pod := rev.Cluster.Policy(k), rev.Cluster.Pod(end.Key.Namespace, end.Key.Name)
	return p != nil && pod != nil && end.Key.Kind == model.KindPod && !connections.OutsideTypes(p, e.Rule.Direction) && rev.IsSubject(k, pod)
}
