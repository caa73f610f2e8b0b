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
			walk(m.tree, prefix, yield)
		}
	}
}

func walk[T any](tree *btree.Map[string, T], prefix string, yield func(string, T) bool) {
	tree.Ascend(prefix, func(key string, val T) bool { return strings.HasPrefix(key, prefix) && yield(key, val) })
}

// Txn begins the next version of the map. Any goroutine may begin one of any
// version at any time.
func (m *Map[T]) Txn() *Txn[T] { return &Txn[T]{from: m} }
