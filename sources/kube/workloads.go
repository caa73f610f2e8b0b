package kube

import (
	"context"
	"reflect"

	"rung/model"
	"rung/sources/manifests"
)

// withWorkloads is a source that delivers workloads, whose pods take their place: those that a
// workload without pods would have.
type withWorkloads struct{ Source }

// Run delivers the steps of the source, with pods in the place of workloads.
func (s withWorkloads) Run(ctx context.Context, sink func(SourceUpdate)) {
	f := podMaker{set: manifests.NewSet(), made: map[model.Key]*model.Pod{}}
	s.Source.Run(ctx, func(u SourceUpdate) { sink(f.next(u)) })
}

// podMaker follows workloads, and the pods that they stand for.
type podMaker struct {
	set   *manifests.Set
	made  map[model.Key]*model.Pod
	stale bool // what is made may not be what the set says
}

// next is a step with pods in the place of workloads. None is made before everything was read: a
// workload whose pods are still to come has pods.
func (f *podMaker) next(u SourceUpdate) SourceUpdate {
	var upsert []model.Object
	var remove []model.Key
	for _, k := range u.Remove {
		f.stale = f.set.Remove(k) || f.stale
		if !k.Kind.IsWorkload() {
			remove = append(remove, k)
		}
	}
	for _, o := range u.Upsert {
		f.stale = f.set.Put(o) || f.stale
		if !o.ObjectKey().Kind.IsWorkload() {
			upsert = append(upsert, o)
		}
	}
	u.Upsert, u.Remove = upsert, remove
	if !f.stale || !u.Loaded {
		return u
	}
	f.stale = false
	pods, _, _ := f.set.Pods()
	now := make(map[model.Key]*model.Pod, len(pods))
	for _, p := range pods {
		if was := f.made[p.Key]; was != nil && reflect.DeepEqual(was, p) {
			p = was
		} else {
			u.Upsert = append(u.Upsert, p)
		}
		now[p.Key] = p
	}
	for k := range f.made {
		if now[k] == nil {
			u.Remove = append(u.Remove, k)
		}
	}
	f.made = now
	return u
}
