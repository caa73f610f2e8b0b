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

// Sharing lets zones hold equal columns once: address sets and external_ids of a
// policy are the same in every zone, and are most of what a zone is. A column that comes
// byte by byte as it came from another zone is not even decoded. (Single strings
// need no Sharing: all are interned.) One Sharing is given to the connections that
// share; it may be used from any goroutine.
type Sharing struct {
	mu   sync.Mutex
	sets recentValues[[]string]          // by the set's name
	ids  recentValues[map[string]string] // by k8s.ovn.org/id
	// idsByWire finds external_ids by what they looked like on the wire: their id is
	// not known before they are decoded.
	idsByWire recentValues[map[string]string]
	seed      maphash.Seed
	// snapshots bounds how many of the connections read all rows at once: each
	// needs several times its size meanwhile.
	snapshots chan struct{}
}

// snapshotsAtOnce is how many connections of one Sharing read all rows at once.
const snapshotsAtOnce = 4

// enterSnapshot waits until there is room for one more snapshot; leave says it is through.
// Without a Sharing there always is.
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

// recentValues holds the value last seen of each name. When newer is full it becomes
// older, so that names that went are forgotten.
type recentValues[T any] struct{ newer, older map[string]sharedValue[T] }

// sharedValue is a value and the bytes it was decoded from: their length (0: not
// known) and a hash with a key that only this process knows.
type sharedValue[T any] struct {
	value T
	size  int
	hash  uint64
}

// sharedNames is how many names are remembered at least.
const sharedNames = 1 << 15

// NewSharing makes a Sharing that knows nothing yet.
func NewSharing() *Sharing {
	return &Sharing{seed: maphash.MakeSeed(), snapshots: make(chan struct{}, snapshotsAtOnce)}
}

// value returns the value of a name; the name is not kept, so that bytes will do.
func (r *recentValues[T]) value(name []byte) (v sharedValue[T], ok bool) {
	v, ok = r.newer[string(name)]
	if ok {
		return v, true
	}
	v, ok = r.older[string(name)]
	if ok {
		r.putValue(string(name), v) // it is in use
	}
	return v, ok
}

func (r *recentValues[T]) putValue(name string, v sharedValue[T]) {
	if _, there := r.newer[name]; !there && (len(r.newer) >= sharedNames || r.newer == nil) {
		r.newer, r.older = map[string]sharedValue[T]{}, r.newer
	}
	r.newer[name] = v
}

// internSet returns a slice equal to members that nobody changes: one that another zone
// holds, or what own makes of members. They were decoded from raw, nil where that says
// nothing about the set as a whole.
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

// knownSet returns the members of a set that were decoded from the same bytes
// before; ok is false where the set looked otherwise the last time.
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

// externalIDs returns a map equal to ids, which nobody changes from now on.
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

// longestIDs is how many bytes of external_ids are looked up as they are.
const longestIDs = 1024

// knownIDs returns the map that was decoded from the same bytes before.
func (s *Sharing) knownIDs(raw []byte) (ids map[string]string, ok bool) {
	if s == nil || len(raw) > longestIDs {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.idsByWire.value(raw)
	return known.value, ok
}

// learnIDs notes what the bytes were decoded to, where others may have the same.
func (s *Sharing) learnIDs(raw []byte, ids map[string]string) {
	if s == nil || len(raw) > longestIDs || ids[nb.KeyID] == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idsByWire.putValue(string(raw), sharedValue[map[string]string]{value: ids})
}

// DefaultDials is how many databases are dialled at once when nobody says
// otherwise (ovn-kubernetes.md#zones-and-their-pods).
const DefaultDials = 20

// Limiter caps how many connections are being made at once, from dialling to
// the end of the snapshot. One Limiter is given to all that share a cluster.
type Limiter struct{ slots chan struct{} }

// NewLimiter lets n connections be made at once, DefaultDials when n is not
// positive.
func NewLimiter(n int) *Limiter {
	if n <= 0 {
		n = DefaultDials
	}
	return &Limiter{slots: make(chan struct{}, n)}
}

// dialSpread is the most that a connection which had to wait for a slot waits
// longer, so that those set free together do not dial together.
const dialSpread = 50 * time.Millisecond

// TakeSlot waits for a slot; release has to be called when it is over. A nil
// Limiter caps nothing.
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
