package engine

import (
	"slices"

	"rung/model"
	"rung/sources/kube"
)

// takeUpdate takes in one step of a source.
func (s *loopState) takeUpdate(name string, u kube.SourceUpdate) {
	now, before := s.Now(), s.allRead()
	st, was := u.State, s.sources[name]
	st.At, st.ReadAt = was.At, was.ReadAt
	if st.Conn != was.Conn {
		st.At = now
	}
	if st.Conn == model.ConnSynced || len(u.Upsert)+len(u.Remove) > 0 {
		st.ReadAt = now
	}
	s.sources[name] = st
	s.MarkChanged()
	if u.HasBroken {
		s.broken[name] = u.Broken
	}
	if u.Loaded {
		s.loaded[name] = true
	}
	had := s.delivered[name]
	if had == nil {
		had = map[model.Key]model.Object{}
		s.delivered[name] = had
	}
	keys := make([]model.Key, 0, len(u.Remove)+len(u.Upsert))
	for _, k := range u.Remove {
		if _, ok := had[k]; ok {
			delete(had, k)
			s.dropOverridden(name, k)
			keys = append(keys, k)
		}
	}
	for _, o := range u.Upsert {
		k := o.ObjectKey()
		old, again := had[k]
		if old == o {
			continue
		}
		had[k] = o
		if again {
			s.takeReworded(name, k, old, o)
		} else {
			s.dropOverridden(name, k)
		}
		keys = append(keys, k)
	}
	changes := s.refreshCluster(keys)
	if before {
		s.noteArrived(changes)
	}
}

// takeReworded handles an object that a source delivers again. If its content is the same, and only line or
// status moved, a change made here stays; otherwise the source wins.
func (s *loopState) takeReworded(source string, k model.Key, before, now model.Object) {
	over, hidden := s.overlay[k]
	if !hidden {
		return
	}
	was, is := model.AsPolicy(before), model.AsPolicy(now)
	if was == nil || is == nil || !model.SameContent(was, is) {
		s.dropOverridden(source, k)
		return
	}
	if over != nil {
		next := *over
		next.UID, next.Created, next.Origin, next.Conditions = is.UID, is.Created, is.Origin, is.Conditions
		s.overlay[k] = &next
	}
}

// dropOverridden drops a change made here once the source delivers something new: either that change, written
// back, or somebody's later change. Only a later change is recorded, because it takes away what somebody did.
func (s *loopState) dropOverridden(source string, k model.Key) {
	over, hidden := s.overlay[k]
	if !hidden {
		return
	}
	delete(s.overlay, k)
	said := model.AsPolicy(s.objectOfSources(k))
	if model.SameContent(over, said) {
		return
	}
	what := "changed"
	if said == nil {
		what = "removed"
	}
	s.RecordActivity(model.Activity{Policy: k, By: source,
		Summary: what + " at its source: the change made here is replaced"})
}

// putPolicies lays policies over the objects of the sources; nil deletes.
func (s *loopState) putPolicies(objects map[model.Key]*model.Policy) {
	keys := make([]model.Key, 0, len(objects))
	for k, p := range objects {
		keys = append(keys, k)
		s.engine.arrivals.dropMade(k, p)
		// The source may already say the same: it saw the file before the change came here, or a change is
		// undone. Its object then knows its origin.
		said := model.AsPolicy(s.objectOfSources(k))
		if model.SameContent(p, said) {
			delete(s.overlay, k)
		} else {
			s.overlay[k] = p
		}
	}
	slices.SortFunc(keys, model.Key.Compare)
	s.refreshCluster(keys)
}

// objectOfSources returns the object of the first source that has it, or nil.
func (s *loopState) objectOfSources(k model.Key) model.Object {
	for _, src := range s.engine.cfg.Sources {
		if o, ok := s.delivered[src.Name()][k]; ok {
			return o
		}
	}
	return nil
}

// refreshCluster updates the cluster's objects of these keys from sources and overlay, and returns the
// changes.
func (s *loopState) refreshCluster(keys []model.Key) []model.Change {
	var upsert []model.Object
	var remove []model.Key
	for _, k := range keys {
		o := s.objectOfSources(k)
		if p, hidden := s.overlay[k]; hidden {
			o = objectWithOverlay(o, p)
		}
		if o != nil {
			upsert = append(upsert, o)
		} else {
			remove = append(remove, k)
		}
	}
	return s.applyObjects(upsert, remove)
}

// objectWithOverlay returns an object with a change made here applied: the changed policy, or the sources'
// namespace with the changed logging. It returns nil if the object does not exist.
func objectWithOverlay(said model.Object, p *model.Policy) model.Object {
	ns, _ := said.(*model.Namespace)
	switch {
	case p == nil, p.Kind == model.KindNamespace && ns == nil:
		return nil
	case ns != nil:
		return ns.WithLogging(p)
	}
	return p.Object()
}

// applyObjects moves cluster, compiler and zones one step on, and returns the changes.
func (s *loopState) applyObjects(upsert []model.Object, remove []model.Key) []model.Change {
	next, changes := s.cluster.Upsert(upsert, remove)
	before := s.wasAllRead
	if s.allRead() == before && len(changes) == 0 && s.allLoaded() == s.zones.IsLoaded() {
		return changes
	}
	s.cluster = next
	if box := s.engine.cfg.Sandbox; box != nil {
		box.ObjectsMoved(next, changes)
	} else {
		s.pastState = s.pastState.RememberChanges(changes, s.desired)
	}
	d, delta := s.compiler.Apply(next, changes)
	s.desired = d
	s.MarkChanged()
	s.reports.ForgetPolicies(changes)
	s.zones.ApplyStep(delta, false)
	s.engine.logs.Observe(changes)
	s.dialects.DecideSystem()
	return changes
}
