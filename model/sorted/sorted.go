package sorted

import (
	"iter"
	"strings"

	"github.com/tidwall/btree"
)

// degree is half of how many children a node of the tree has at most. A step that
// changes one entry copies a node of each level: larger nodes are more to copy,
// smaller ones more levels to walk.
const degree = 8

// Map is an immutable map from strings to T, in the order of the keys. The zero
// value and nil are an empty map.
type Map[T any] struct{ tree *btree.Map[string, T] }

// Len counts the entries.
func (m *Map[T]) Len() int {
	if m == nil || m.tree == nil {
		return 0
	}
	return m.tree.Len()
}

// Get returns the value of a key, and whether there is one.
func (m *Map[T]) Get(key string) (val T, ok bool) {
	if m == nil || m.tree == nil {
		return val, false
	}
	return m.tree.Get(key)
}

// Prefix walks the entries whose keys begin with prefix in the order of the keys.
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

// Txn begins the next version of the map. Any goroutine may begin one of any
// version at any time.
func (m *Map[T]) Txn() *Txn[T] { return &Txn[T]{from: m} }

// Txn makes the next version of a map. It belongs to one goroutine.
type Txn[T any] struct {
	from *Map[T]
	next *btree.Map[string, T] // nil as long as it would be the same as from
}

func (x *Txn[T]) currentTree() *btree.Map[string, T] {
	if x.next == nil && x.from != nil {
		return x.from.tree
	}
	return x.next
}

// editableTree returns the tree that may be written to.
func (x *Txn[T]) editableTree() *btree.Map[string, T] {
	switch {
	case x.next != nil:
	case x.from == nil || x.from.tree == nil:
		x.next = btree.NewMap[string, T](degree)
	default:
		// Copy writes to the map that it copies too, and another goroutine may be
		// copying that one: it gets a copy of the head, which shares all nodes.
		head := *x.from.tree
		x.next = head.Copy()
	}
	return x.next
}

// Get returns the value a key has by now.
func (x *Txn[T]) Get(key string) (val T, ok bool) {
	if tree := x.currentTree(); tree != nil {
		return tree.Get(key)
	}
	return val, false
}

// FirstFitting returns the first entry by now whose key begins with prefix and fits.
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

// Set sets the value of a key and returns the one it had.
func (x *Txn[T]) Set(key string, val T) (old T, had bool) { return x.editableTree().Set(key, val) }

// Delete takes a key out and returns the value it had.
func (x *Txn[T]) Delete(key string) (old T, had bool) {
	_, had = x.Get(key)
	if !had {
		return old, false // nothing is copied for it
	}
	return x.editableTree().Delete(key)
}

// Commit returns the map as it is now. Later changes of the transaction are not seen in
// it.
func (x *Txn[T]) Commit() *Map[T] {
	if x.next != nil {
		x.from, x.next = &Map[T]{x.next}, nil
	}
	return x.from
}
