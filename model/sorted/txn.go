package sorted

import "github.com/tidwall/btree"

// Txn makes the next version of a map. It belongs to one goroutine.
type Txn[T any] struct {
	from *Map[T]
	next *btree.Map[string, T] // nil as long as it would be the same as from
}

func (x *Txn[T]) now() *btree.Map[string, T] {
	if x.next == nil && x.from != nil {
		return x.from.tree
	}
	return x.next
}

// edit returns the tree that may be written to.
func (x *Txn[T]) edit() *btree.Map[string, T] {
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
	if tree := x.now(); tree != nil {
		return tree.Get(key)
	}
	return val, false
}

// First returns the first entry by now whose key begins with prefix and fits.
func (x *Txn[T]) First(prefix string, fits func(key string, val T) bool) (key string, val T, ok bool) {
	if tree := x.now(); tree != nil {
		walk(tree, prefix, func(k string, v T) bool {
			if ok = fits(k, v); ok {
				key, val = k, v
			}
			return !ok
		})
	}
	return key, val, ok
}

// Set sets the value of a key and returns the one it had.
func (x *Txn[T]) Set(key string, val T) (old T, had bool) { return x.edit().Set(key, val) }

// Delete takes a key out and returns the value it had.
func (x *Txn[T]) Delete(key string) (old T, had bool) {
	if _, had = x.Get(key); !had {
		return old, false // nothing is copied for it
	}
	return x.edit().Delete(key)
}

// Commit returns the map as it is now. What the transaction does later is not
// seen in it.
func (x *Txn[T]) Commit() *Map[T] {
	if x.next != nil {
		x.from, x.next = &Map[T]{x.next}, nil
	}
	return x.from
}
