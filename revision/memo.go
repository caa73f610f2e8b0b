package revision

import (
	"reflect"
	"sync"
	"sync/atomic"
)

// Once is a value that is worked out when first asked for. Its zero value is ready.
type Once[T any] struct {
	done  atomic.Bool
	mu    sync.Mutex
	value T
}

// Get is the value; whoever asks first works it out, and others wait meanwhile.
func (o *Once[T]) Get(work func() T) T {
	if !o.done.Load() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if !o.done.Load() {
			o.value = work()
			o.done.Store(true)
		}
	}
	return o.value
}

// memo keeps what questions worked out, one value of each type.
type memo struct{ byType sync.Map }

// valueOf is the value of a type; it is made empty when first asked for.
func valueOf[T any](m *memo) *T {
	if m == nil {
		return new(T)
	}
	v, ok := m.byType.Load(reflect.TypeFor[T]())
	if !ok {
		v, _ = m.byType.LoadOrStore(reflect.TypeFor[T](), new(T))
	}
	return v.(*T)
}

// Shared is the one value of a type for all revisions of the same objects and desired rows,
// empty when first asked for. A question keeps there what it worked out of them, under a type
// of its own, which guards itself: many ask at once.
func Shared[T any](r *Revision) *T { return valueOf[T](&r.shared.questions) }

// Carried is the one value of a type that goes on from revision to revision, whatever changes.
// A revision of With carries none: it gets an empty one each time.
func Carried[T any](r *Revision) *T { return valueOf[T](r.carried) }
