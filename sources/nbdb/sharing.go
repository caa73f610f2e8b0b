package nbdb

import (
	"maps"
	"slices"
	"sync"

	"rung/model/nb"
)

// Sharing lets zones hold equal address sets and external_ids once: those of a
// policy are the same in every zone, and are most of what a zone is. One Sharing is
// given to the connections that share; it may be used from any goroutine.
type Sharing struct {
	mu   sync.Mutex
	sets recent[[]string]          // by the set's name
	ids  recent[map[string]string] // by k8s.ovn.org/id
}

// recent holds the value last seen of each name. When now is full it becomes
// before, so that names that went are forgotten.
type recent[T any] struct{ now, before map[string]T }

// sharedNames is how many names are remembered at least.
const sharedNames = 1 << 14

// NewSharing makes a Sharing that knows nothing yet.
func NewSharing() *Sharing { return &Sharing{} }

// of returns the value of a name if same says so, else what fresh makes.
func (r *recent[T]) of(name string, same func(T) bool, fresh func() T) T {
	v, ok := r.now[name]
	if !ok {
		v = r.before[name]
	}
	if !same(v) {
		v, ok = fresh(), false
	}
	if !ok {
		if len(r.now) >= sharedNames || r.now == nil {
			r.now, r.before = map[string]T{}, r.now
		}
		r.now[name] = v
	}
	return v
}

// set returns a slice equal to members that nobody changes: one that another zone
// holds, or a copy.
func (s *Sharing) set(name string, members []string) []string {
	if len(members) == 0 {
		return nil
	}
	if s == nil || name == "" {
		return slices.Clone(members)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sets.of(name, func(known []string) bool { return slices.Equal(known, members) },
		func() []string { return slices.Clone(members) })
}

// externalIDs returns a map equal to ids, which nobody changes from now on.
func (s *Sharing) externalIDs(ids map[string]string) map[string]string {
	id := ids[nb.KeyID]
	if s == nil || id == "" {
		return ids
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids.of(id, func(known map[string]string) bool { return maps.Equal(known, ids) },
		func() map[string]string { return ids })
}
