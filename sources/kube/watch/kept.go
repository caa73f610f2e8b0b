package watch

import (
	"maps"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/clean"
)

// kept holds the objects of a feed's resource. It belongs to the feed's goroutine.
type kept struct {
	kind    model.Kind
	limit   int // most objects, the newest events; 0: no limit
	objects map[model.Key]entry
}

// entry is one object as it was seen last.
type entry struct {
	uid, version string
	object       model.Object // nil when it could not be taken in
	broken       []model.Broken
}

// step is the outcome of one event or list.
type step struct {
	upsert []model.Object
	remove []model.Key
	// broken replaces what was said about these objects; empty: nothing now.
	broken map[model.Key][]model.Broken
	count  int // objects after it
}

func (k *kept) key(m metav1.Object) model.Key {
	return model.Key{Kind: k.kind, Namespace: clean.Text(m.GetNamespace()), Name: clean.Text(m.GetName())}
}

// object returns an object as it was seen last, nil for a new one.
func (k *kept) object(m metav1.Object) model.Object { return k.objects[k.key(m)].object }

func entryOf(m metav1.Object, o model.Object, broken []model.Broken) entry {
	return entry{uid: clean.Text(string(m.GetUID())), version: clean.Text(m.GetResourceVersion()), object: o,
		broken: broken}
}

// put takes in one object that came or changed.
func (k *kept) put(m metav1.Object, o model.Object, broken []model.Broken) step {
	s := step{broken: map[model.Key][]model.Broken{}}
	k.replace(&s, k.key(m), entryOf(m, o, broken))
	k.bound(&s)
	s.count = len(k.objects)
	return s
}

func (k *kept) replace(s *step, key model.Key, e entry) {
	old, had := k.objects[key]
	if had && equal(old.object, e.object) {
		e.object = old.object // what changed is not read
	}
	k.objects[key] = e
	switch {
	case e.object == nil && old.object != nil:
		s.remove = append(s.remove, key)
	case e.object != nil && e.object != old.object:
		s.upsert = append(s.upsert, e.object)
	}
	if len(old.broken)+len(e.broken) > 0 && !slices.Equal(old.broken, e.broken) {
		s.broken[key] = e.broken
	}
}

// equal says whether two objects mean the same; a policy never does, its version
// is needed to change it.
func equal(a, b model.Object) bool {
	if a == nil || b == nil {
		return a == b
	}
	switch b := b.(type) {
	case *model.Pod:
		a, ok := a.(*model.Pod)
		return ok && equalBut(a, b, &a.Version, &b.Version)
	case *model.Node:
		a, ok := a.(*model.Node)
		return ok && equalBut(a, b, &a.Version, &b.Version)
	case *model.EndpointSlice:
		a, ok := a.(*model.EndpointSlice)
		return ok && equalBut(a, b, &a.Version, &b.Version)
	}
	return false
}

// equalBut compares two objects but for their versions; b is not handed out yet
// and may be touched for a moment.
func equalBut(a, b any, version, own *string) bool {
	was := *own
	*own = *version
	same := reflect.DeepEqual(a, b)
	*own = was
	return same
}

// drop takes one object out.
func (k *kept) drop(m metav1.Object) step {
	s := step{broken: map[model.Key][]model.Broken{}}
	k.remove(&s, k.key(m))
	s.count = len(k.objects)
	return s
}

func (k *kept) remove(s *step, key model.Key) {
	old, had := k.objects[key]
	if !had {
		return
	}
	delete(k.objects, key)
	if old.object != nil {
		s.remove = append(s.remove, key)
	}
	if len(old.broken) > 0 {
		s.broken[key] = nil
	}
}

// bound takes the oldest events out while there are too many.
func (k *kept) bound(s *step) {
	if k.limit == 0 || len(k.objects) <= k.limit {
		return
	}
	oldest := slices.SortedFunc(maps.Keys(k.objects), func(a, b model.Key) int {
		x, _ := k.objects[a].object.(*model.Event)
		y, _ := k.objects[b].object.(*model.Event)
		if x == nil || y == nil {
			return a.Compare(b)
		}
		return x.Last.Compare(y.Last)
	})
	gone := map[model.Key]bool{}
	for _, key := range oldest[:len(oldest)-k.limit] {
		gone[key] = true
		k.remove(s, key)
	}
	s.upsert = slices.DeleteFunc(s.upsert, func(o model.Object) bool { return gone[o.ObjectKey()] })
}

// relist is a new list on its way.
type relist struct {
	seen map[model.Key]entry
	next map[model.Key]entry
}

func (k *kept) relist() *relist {
	return &relist{seen: make(map[model.Key]entry, len(k.objects)), next: map[model.Key]entry{}}
}

// same says whether an object of the list is known as it is, and notes that it
// is there.
func (k *kept) same(r *relist, m metav1.Object) bool {
	key := k.key(m)
	old, had := k.objects[key]
	if !had || old.version == "" || old.version != m.GetResourceVersion() || old.uid != string(m.GetUID()) {
		return false
	}
	r.seen[key] = old
	return true
}

// finish makes the list what is known, and says what that changes.
func (k *kept) finish(r *relist) step {
	s := step{broken: map[model.Key][]model.Broken{}}
	for _, key := range slices.Collect(maps.Keys(k.objects)) {
		_, seen := r.seen[key]
		_, next := r.next[key]
		if !seen && !next {
			k.remove(&s, key)
		}
	}
	for key, e := range r.next {
		k.replace(&s, key, e)
	}
	k.bound(&s)
	s.count = len(k.objects)
	return s
}
