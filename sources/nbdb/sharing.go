package nbdb

import (
	"context"
	"hash/maphash"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"rung/model/ovn/nb"
	"rung/sources/retry"
)

// Sharing lets zones hold equal columns once. A policy's address sets and external_ids are equal in every
// zone, and take most of a zone's memory. A column with the same bytes as another zone's is not even decoded.
// (Single strings need no Sharing: all are interned.) Connections that share get the same Sharing. Any
// goroutine may use it.
type Sharing struct {
	mu   sync.Mutex
	sets recentValues[[]string]          // by the set's name
	ids  recentValues[map[string]string] // by k8s.ovn.org/id
	// idsByWire finds external_ids by their encoded bytes: their id is not known before decoding.
	idsByWire recentValues[map[string]string]
	seed      maphash.Seed
	// snapshots limits how many connections read all rows at once: each needs several times its size
	// meanwhile.
	snapshots chan struct{}
}

// snapshotsAtOnce is how many connections of one Sharing read all rows at once.
const snapshotsAtOnce = 4

// enterSnapshot waits until one more snapshot may be read; the caller calls leave when it has been read. A nil
// Sharing never waits.
func (s *Sharing) enterSnapshot(ctx context.Context) (leave func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	select {
	case s.snapshots <- struct{}{}:
		return func() { <-s.snapshots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// recentValues holds the last value of each name. A full newer becomes older, and unused names are forgotten.
type recentValues[T any] struct{ newer, older map[string]sharedValue[T] }

// sharedValue is a value and its encoded form: the length (0: unknown) and a hash with a key that only this
// process knows.
type sharedValue[T any] struct {
	value T
	size  int
	hash  uint64
}

// sharedNames is the least number of names remembered.
const sharedNames = 1 << 15

// NewSharing returns an empty Sharing.
func NewSharing() *Sharing {
	return &Sharing{seed: maphash.MakeSeed(), snapshots: make(chan struct{}, snapshotsAtOnce)}
}

// value returns the value of a name. It does not keep name, so bytes will do.
func (r *recentValues[T]) value(name []byte) (v sharedValue[T], ok bool) {
	v, ok = r.newer[string(name)]
	if ok {
		return v, true
	}
	v, ok = r.older[string(name)]
	if ok {
		r.putValue(string(name), v) // mark it as used
	}
	return v, ok
}

func (r *recentValues[T]) putValue(name string, v sharedValue[T]) {
	if _, there := r.newer[name]; !there && (len(r.newer) >= sharedNames || r.newer == nil) {
		r.newer, r.older = map[string]sharedValue[T]{}, r.newer
	}
	r.newer[name] = v
}

// internSet returns an immutable slice equal to members: another zone's, or own(members). raw is their encoded
// form; it is nil if that does not describe the whole set.
func (s *Sharing) internSet(name string, members []string, raw []byte, own func([]string) []string) []string {
	if len(members) == 0 {
		return nil
	}
	if s == nil || name == "" {
		return own(members)
	}
	size, hash := len(raw), maphash.Bytes(s.seed, raw)
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.sets.value([]byte(name))
	if !ok || !slices.Equal(known.value, members) {
		known = sharedValue[[]string]{value: own(members)}
	} else if size == 0 {
		return known.value
	}
	known.size, known.hash = size, hash
	s.sets.putValue(name, known)
	return known.value
}

// knownSet returns the members of a set without decoding raw, if the set had the same bytes last time; else ok
// is false.
func (s *Sharing) knownSet(name string, raw []byte) (members []string, ok bool) {
	if s == nil || name == "" {
		return nil, false
	}
	hash := maphash.Bytes(s.seed, raw)
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.sets.value([]byte(name))
	if !ok || known.size != len(raw) || known.hash != hash {
		return nil, false
	}
	return known.value, true
}

// externalIDs returns an immutable map equal to ids: the one stored for the same ID, else ids itself. The
// caller must not change ids afterwards.
func (s *Sharing) externalIDs(ids map[string]string) map[string]string {
	id := ids[nb.KeyID]
	if s == nil || id == "" {
		return ids
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.ids.value([]byte(id)); ok && maps.Equal(known.value, ids) {
		return known.value
	}
	s.ids.putValue(id, sharedValue[map[string]string]{value: ids})
	return ids
}

// longestIDs is the maximum length of external_ids, in bytes, for a lookup without decoding.
const longestIDs = 1024

// knownIDs returns the map decoded from the same bytes before.
func (s *Sharing) knownIDs(raw []byte) (ids map[string]string, ok bool) {
	if s == nil || len(raw) > longestIDs {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.idsByWire.value(raw)
	return known.value, ok
}

// learnIDs remembers the map decoded from raw, if other zones may have it.
func (s *Sharing) learnIDs(raw []byte, ids map[string]string) {
	if s == nil || len(raw) > longestIDs || ids[nb.KeyID] == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idsByWire.putValue(string(raw), sharedValue[map[string]string]{value: ids})
}

// DefaultDials is the default number of databases dialled at once (ovn-kubernetes.md#zones-and-their-pods).
const DefaultDials = 20

// Limiter limits how many connections are made at once, from dialling to the end of the snapshot. All
// connections to a cluster share one.
type Limiter struct{ slots chan struct{} }

// NewLimiter allows n connections at once, DefaultDials if n is not positive.
func NewLimiter(n int) *Limiter {
	if n <= 0 {
		n = DefaultDials
	}
	return &Limiter{slots: make(chan struct{}, n)}
}

// dialSpread is the longest extra wait after waiting for a slot, so that connections freed together do not
// dial together.
const dialSpread = 50 * time.Millisecond

// TakeSlot waits for a slot; the caller calls release when it is done. A nil Limiter has no limit.
func (l *Limiter) TakeSlot(ctx context.Context) (release func(), err error) {
	if l == nil {
		return func() {}, nil
	}
	release = func() { <-l.slots }
	select {
	case l.slots <- struct{}{}:
		return release, nil
	default:
	}
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if !retry.Sleep(ctx, rand.N(dialSpread)) {
		release()
		return nil, ctx.Err()
	}
	return release, nil
}
