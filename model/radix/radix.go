package radix

import (
	"iter"
	"slices"
)

// Tree is an immutable map from bytes to T, in the order of the keys. The zero
// value and nil are an empty tree.
type Tree[T any] struct {
	root *node[T]
	size int
}

// node is a place where keys part, or where one ends, or both. What lies above
// it has read key[:from]; the node itself reads key[from:to].
type node[T any] struct {
	// key is the node's own where leaf, and else any that begins as its own
	// would: it may be that of an entry that is gone.
	key      string
	from, to int
	owner    *mark // the transaction that may still write to the node
	edges    []edge[T]
	val      T
	leaf     bool
}

// edge leads to the node that goes on with the byte label; a node's edges are
// sorted by it.
type edge[T any] struct {
	label byte
	node  *node[T]
}

// mark is one transaction's; only its address counts, so it must not be empty.
type mark struct{ _ byte }

// Len counts the entries.
func (t *Tree[T]) Len() int {
	if t == nil {
		return 0
	}
	return t.size
}

// Get returns the value of a key, and whether there is one.
func (t *Tree[T]) Get(key []byte) (val T, ok bool) {
	if t == nil {
		return val, false
	}
	return t.root.get(key)
}

// Prefix walks the entries whose keys begin with prefix in the order of the keys.
func (t *Tree[T]) Prefix(prefix []byte) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		if t != nil {
			t.root.below(prefix).walk(yield)
		}
	}
}

// Txn begins the next version of the tree.
func (t *Tree[T]) Txn() *Txn[T] {
	x := &Txn[T]{mark: new(mark)}
	if t != nil {
		x.tree = *t
	}
	return x
}

func (n *node[T]) get(key []byte) (val T, ok bool) {
	for n != nil && len(key) >= n.to && string(key[n.from:n.to]) == n.key[n.from:n.to] {
		if len(key) == n.to {
			return n.val, n.leaf
		}
		i, there := n.find(key[n.to])
		if !there {
			break
		}
		n = n.edges[i].node
	}
	return val, false
}

// below returns the node below which, and only below which, keys begin with prefix.
func (n *node[T]) below(prefix []byte) *node[T] {
	for n != nil {
		end := min(n.to, len(prefix))
		if string(prefix[n.from:end]) != n.key[n.from:end] {
			return nil
		}
		if end == len(prefix) {
			return n
		}
		i, there := n.find(prefix[n.to])
		if !there {
			return nil
		}
		n = n.edges[i].node
	}
	return nil
}

func (n *node[T]) walk(yield func(string, T) bool) bool {
	if n == nil {
		return true
	}
	if n.leaf && !yield(n.key, n.val) {
		return false
	}
	for _, e := range n.edges {
		if !e.node.walk(yield) {
			return false
		}
	}
	return true
}

// find returns where the edge of that label is, or would be.
func (n *node[T]) find(label byte) (i int, there bool) {
	low, high := 0, len(n.edges)
	for low < high {
		if mid := (low + high) / 2; n.edges[mid].label < label {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low, low < len(n.edges) && n.edges[low].label == label
}

// link puts a child where its label belongs; there is none of that label.
func (n *node[T]) link(child *node[T]) {
	label := child.key[child.from]
	i, _ := n.find(label)
	n.edges = slices.Insert(n.edges, i, edge[T]{label, child})
}
