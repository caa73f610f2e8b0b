package kube

import (
	"maps"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/words"
)

// keptObjects holds the objects of a feed's resource, for the feed's goroutine only.
type keptObjects struct {
	kind    model.Kind
	limit   int // most events kept, the newest; 0 for all
	objects map[model.Key]keptEntry
}

// keptEntry is the last read state of an object.
type keptEntry struct {
	uid, version string
	object       model.Object // nil if the object could not be read
	broken       []model.Broken
}

// feedStep is the outcome of an event or a list.
type feedStep struct {
	upsert []model.Object
	remove []model.Key
	// broken replaces the problems of these objects; empty removes them.
	broken map[model.Key][]model.Broken
	count  int // objects after the step
}

func (k *keptObjects) objectKey(m metav1.Object) model.Key {
	return model.Key{Kind: k.kind, Namespace: words.CleanText(m.GetNamespace()), Name: words.CleanText(m.GetName())}
}

// lastObject returns the last read object, or nil for a new one.
func (k *keptObjects) lastObject(m metav1.Object) model.Object {
	return k.objects[k.objectKey(m)].object
}

func newKeptEntry(m metav1.Object, o model.Object, broken []model.Broken) keptEntry {
	return keptEntry{uid: words.CleanText(string(m.GetUID())), version: words.CleanText(m.GetResourceVersion()), object: o,
		broken: broken}
}

// makeStep returns the outcome of a change, with the oldest events above the limit removed.
func (k *keptObjects) makeStep(change func(*feedStep)) feedStep {
	s := feedStep{broken: map[model.Key][]model.Broken{}}
	change(&s)
	k.dropOldEvents(&s)
	s.count = len(k.objects)
	return s
}

// putObject adds or replaces one object.
func (k *keptObjects) putObject(m metav1.Object, o model.Object, broken []model.Broken) feedStep {
	return k.makeStep(func(s *feedStep) { k.replaceEntry(s, k.objectKey(m), newKeptEntry(m, o, broken)) })
}

func (k *keptObjects) replaceEntry(s *feedStep, key model.Key, e keptEntry) {
	old, had := k.objects[key]
	if had && old.object != e.object && equalObjects(old.object, e.object) {
		e.object = old.object // only fields that Rung does not read changed
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

// equalObjects reports whether two objects differ at most in their versions. Policies are equal only if
// identical, since changing one needs its version.
func equalObjects(a, b model.Object) bool {
	switch b.(type) {
	case *model.Pod, *model.Node, *model.EndpointSlice:
		if a == nil {
			return false
		}
		same := reflect.New(reflect.TypeOf(b).Elem())
		same.Elem().Set(reflect.ValueOf(b).Elem())
		same.Elem().FieldByName("Version").Set(reflect.ValueOf(a).Elem().FieldByName("Version"))
		return reflect.DeepEqual(a, same.Interface())
	}
	return a == b
}

// dropObject removes one object.
func (k *keptObjects) dropObject(m metav1.Object) feedStep {
	return k.makeStep(func(s *feedStep) { k.removeEntry(s, k.objectKey(m)) })
}

func (k *keptObjects) removeEntry(s *feedStep, key model.Key) {
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

// dropOldEvents removes the oldest events above the limit.
func (k *keptObjects) dropOldEvents(s *feedStep) {
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
		k.removeEntry(s, key)
	}
	s.upsert = slices.DeleteFunc(s.upsert, func(o model.Object) bool { return gone[o.ObjectKey()] })
}

// keepUnchanged copies an object with an unchanged version into a new list; false if it is new or changed.
func (k *keptObjects) keepUnchanged(next map[model.Key]keptEntry, m metav1.Object) bool {
	key := k.objectKey(m)
	old, had := k.objects[key]
	if !had || old.version == "" || old.version != m.GetResourceVersion() || old.uid != string(m.GetUID()) {
		return false
	}
	next[key] = old
	return true
}

// replaceAll replaces all objects by a list, and returns the differences.
func (k *keptObjects) replaceAll(next map[model.Key]keptEntry) feedStep {
	return k.makeStep(func(s *feedStep) {
		for key := range k.objects {
			if _, stays := next[key]; !stays {
				k.removeEntry(s, key)
			}
		}
		for key, e := range next {
			k.replaceEntry(s, key, e)
		}
	})
}
