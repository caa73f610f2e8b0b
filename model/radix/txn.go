package radix

import "slices"

// Txn makes the next version of a tree. It belongs to one goroutine.
type Txn[T any] struct {
	tree Tree[T]
	mark *mark
}

// Get returns the value a key has by now.
func (x *Txn[T]) Get(key []byte) (val T, ok bool) { return x.tree.root.get(key) }

// First returns the first entry by now whose key begins with prefix and fits.
func (x *Txn[T]) First(prefix []byte, fits func(key string, val T) bool) (key string, val T, ok bool) {
	x.tree.root.below(prefix).walk(func(k string, v T) bool {
		if ok = fits(k, v); ok {
			key, val = k, v
		}
		return !ok
	})
	return key, val, ok
}

// Insert sets the value of a key, of which it keeps a copy, and returns the one
// it had.
func (x *Txn[T]) Insert(key []byte, val T) (old T, had bool) {
	if x.tree.root == nil {
		x.tree.root = x.entry(key, 0, val)
	} else {
		x.tree.root, old, had = x.insert(x.tree.root, key, val)
	}
	if !had {
		x.tree.size++
	}
	return old, had
}

// Delete takes a key out and returns the value it had.
func (x *Txn[T]) Delete(key []byte) (old T, had bool) {
	if _, had = x.tree.root.get(key); !had {
		return old, false // nothing is copied for it
	}
	x.tree.root, old = x.remove(x.tree.root, key)
	x.tree.size--
	return old, true
}

// Commit returns the tree as it is now. What the transaction does later is not
// seen in it.
func (x *Txn[T]) Commit() *Tree[T] {
	t := x.tree
	x.mark = new(mark)
	return &t
}

// own returns a node that may be written to: n, when this transaction made it,
// or a copy.
func (x *Txn[T]) own(n *node[T]) *node[T] {
	if n.owner == x.mark {
		return n
	}
	c := *n
	c.owner, c.edges = x.mark, slices.Clone(n.edges)
	return &c
}

// entry is a new node that reads the rest of a key.
func (x *Txn[T]) entry(key []byte, from int, val T) *node[T] {
	return &node[T]{key: string(key), from: from, to: len(key), owner: x.mark, val: val, leaf: true}
}

// insert puts a key below n, whose place it has been followed to.
func (x *Txn[T]) insert(n *node[T], key []byte, val T) (now *node[T], old T, had bool) {
	same := n.from
	for end := min(n.to, len(key)); same < end && key[same] == n.key[same]; {
		same++
	}
	if same < n.to {
		// The key parts from the node's, or ends, on the way: a node for that.
		now = &node[T]{key: n.key, from: n.from, to: same, owner: x.mark}
		rest := x.own(n)
		rest.from = same
		now.link(rest)
	} else {
		now = x.own(n)
	}
	if len(key) == now.to {
		old, had = now.val, now.leaf
		if !had {
			now.key, now.leaf = string(key), true
		}
		now.val = val
		return now, old, had
	}
	i, there := now.find(key[now.to])
	if !there {
		now.link(x.entry(key, now.to, val))
		return now, old, false
	}
	now.edges[i].node, old, had = x.insert(now.edges[i].node, key, val)
	return now, old, had
}

// remove takes a key that is there out from below n. What is left is nil when
// that was all.
func (x *Txn[T]) remove(n *node[T], key []byte) (left *node[T], old T) {
	if len(key) == n.to {
		if len(n.edges) == 0 {
			return nil, n.val
		}
		left, old = x.own(n), n.val
		var none T
		left.val, left.leaf = none, false
		return x.joined(left), old
	}
	i, _ := n.find(key[n.to])
	child, old := x.remove(n.edges[i].node, key)
	left = x.own(n)
	if child == nil {
		left.edges = slices.Delete(left.edges, i, i+1)
		return x.joined(left), old
	}
	left.edges[i].node = child
	return left, old
}

// joined makes a node at which no key ends or parts any more one with its child.
func (x *Txn[T]) joined(n *node[T]) *node[T] {
	if n.leaf || len(n.edges) != 1 {
		return n
	}
	child := x.own(n.edges[0].node)
	child.from = n.from
	return child
}
