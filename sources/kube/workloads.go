package kube

import (
	"context"
	"reflect"

	"rung/model"
	"rung/sources/manifests"
)

// withWorkloads is a source that replaces workloads without pods by the pods they would have.
type withWorkloads struct{ Source }

// Run delivers the steps of the source, with workloads replaced by pods.
func (s withWorkloads) Run(ctx context.Context, sink func(SourceUpdate)) {
	f := podMaker{set: manifests.NewSet(), made: map[model.Key]*model.Pod{}}
	s.Source.Run(ctx, func(u SourceUpdate) { sink(f.next(u)) })
}

// podMaker follows workloads and the pods made for them.
type podMaker struct {
	set   *manifests.Set
	made  map[model.Key]*model.Pod
	stale bool // the made pods may be out of date
}

// next replaces the workloads of a step by pods, once everything was read: a workload's real pods may still come.
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
