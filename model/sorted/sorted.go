package sorted

import (
	"iter"
	"strings"

	"github.com/tidwall/btree"
)

// degree is half the maximum number of children of a tree node. Changing one entry copies a node of each
// level: larger nodes cost more copying, smaller nodes more levels.
const degree = 8

// Map is an immutable map from strings to T, in key order. The zero value and nil are empty.
type Map[T any] struct{ tree *btree.Map[string, T] }

// Len counts the entries.
func (m *Map[T]) Len() int {
	if m == nil || m.tree == nil {
		return 0
	}
	return m.tree.Len()
}

// Get returns the value of a key, and whether the key exists.
func (m *Map[T]) Get(key string) (val T, ok bool) {
	if m == nil || m.tree == nil {
		return val, false
	}
	return m.tree.Get(key)
}

// Prefix yields the entries whose keys begin with prefix, in key order.
func (m *Map[T]) Prefix(prefix string) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		if m != nil && m.tree != nil {
			walkTree(m.tree, prefix, yield)
		}
	}
}

func walkTree[T any](tree *btree.Map[string, T], prefix string, yield func(string, T) bool) {
	tree.Ascend(prefix, func(key string, val T) bool { return strings.HasPrefix(key, prefix) && yield(key, val) })
}

// Txn begins the next version of the map. Any goroutine may call it on any version at any time.
func (m *Map[T]) Txn() *Txn[T] { return &Txn[T]{from: m} }

// Txn makes the next version of a map. It must not be used concurrently.
type Txn[T any] struct {
	from *Map[T]
	next *btree.Map[string, T] // nil while nothing was changed
}

func (x *Txn[T]) currentTree() *btree.Map[string, T] {
	if x.next == nil && x.from != nil {
		return x.from.tree
	}
	return x.next
}

// editableTree returns the tree to write to.
func (x *Txn[T]) editableTree() *btree.Map[string, T] {
	switch {
	case x.next != nil:
	case x.from == nil || x.from.tree == nil:
		x.next = btree.NewMap[string, T](degree)
	default:
		// Copy also writes to the copied map, which another goroutine may be copying. Copying the head first
		// avoids this, and shares all nodes.
		head := *x.from.tree
		x.next = head.Copy()
	}
	return x.next
}

// Get returns the current value of a key.
func (x *Txn[T]) Get(key string) (val T, ok bool) {
	if tree := x.currentTree(); tree != nil {
		return tree.Get(key)
	}
	return val, false
}

// FirstFitting returns the first current entry whose key begins with prefix and for which fits is true.
func (x *Txn[T]) FirstFitting(prefix string, fits func(key string, val T) bool) (key string, val T, ok bool) {
	if tree := x.currentTree(); tree != nil {
		walkTree(tree, prefix, func(k string, v T) bool {
			ok = fits(k, v)
			if ok {
				key, val = k, v
			}
			return !ok
		})
	}
	return key, val, ok
}

// Set sets the value of a key and returns the previous one.
func (x *Txn[T]) Set(key string, val T) (old T, had bool) { return x.editableTree().Set(key, val) }

// Delete removes a key and returns its value.
func (x *Txn[T]) Delete(key string) (old T, had bool) {
	_, had = x.Get(key)
	if !had {
		return old, false // avoid a copy
	}
	return x.editableTree().Delete(key)
}

// Commit returns the map with all changes so far. Later changes of the transaction do not affect it.
func (x *Txn[T]) Commit() *Map[T] {
	if x.next != nil {
		x.from, x.next = &Map[T]{x.next}, nil
	}
	return x.from
}
