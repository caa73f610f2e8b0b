package model

import (
	"iter"

	"rung/model/sorted"
)

// Cluster is an immutable snapshot of all objects. The zero value and nil are
// an empty cluster.
type Cluster struct{ objects *sorted.Map[Object] }

// Change is an object that was created (Old nil), changed, or deleted (New nil).
type Change struct{ Old, New Object }

// Key returns the key of the changed object.
func (c Change) Key() Key {
	if c.New != nil {
		return c.New.ObjectKey()
	}
	return c.Old.ObjectKey()
}

// objectTreeKey returns kind, NUL, namespace, NUL, name: kinds and namespaces are walked by prefix, in order.
func objectTreeKey(k Key) string { return string(k.Kind) + "\x00" + k.Namespace + "\x00" + k.Name }

// Upsert deletes the keys of remove, then stores the objects of upsert, so that a key in both is replaced. It
// returns the next Cluster and the actual changes in that order, with Old filled in: each change of a key
// starts where the previous one ended. An object that replaces itself (same pointer) is no change. Without any
// change the result is c itself. Neither result is nil.
func (c *Cluster) Upsert(upsert []Object, remove []Key) (*Cluster, []Change) {
	if c == nil {
		c = &Cluster{}
	}
	txn := c.objects.Txn()
	changes := make([]Change, 0, len(upsert)+len(remove))
	for _, k := range remove {
		if old, ok := txn.Delete(objectTreeKey(k)); ok {
			changes = append(changes, Change{Old: old})
		}
	}
	for _, o := range upsert {
		if o == nil {
			continue
		}
		old, had := txn.Set(objectTreeKey(o.ObjectKey()), o)
		switch {
		case !had:
			changes = append(changes, Change{New: o})
		case old != o:
			changes = append(changes, Change{Old: old, New: o})
		}
	}
	if len(changes) == 0 {
		return c, changes
	}
	return &Cluster{objects: txn.Commit()}, changes
}

// Get returns the object with that key or nil.
func (c *Cluster) Get(k Key) Object {
	if c == nil {
		return nil
	}
	o, _ := c.objects.Get(objectTreeKey(k))
	return o
}

func objectAs[T Object](c *Cluster, k Key) (t T) {
	if o := c.Get(k); o != nil {
		t, _ = o.(T)
	}
	return t
}

// Pod returns a pod or nil; Namespace, Node and Policy do so for their kinds.
func (c *Cluster) Pod(namespace, name string) *Pod {
	return objectAs[*Pod](c, Key{Kind: KindPod, Namespace: namespace, Name: name})
}
func (c *Cluster) Namespace(name string) *Namespace {
	return objectAs[*Namespace](c, Key{Kind: KindNamespace, Name: name})
}
func (c *Cluster) Node(name string) *Node     { return objectAs[*Node](c, Key{Kind: KindNode, Name: name}) }
func (c *Cluster) Policy(k PolicyKey) *Policy { return objectAs[*Policy](c, k) }

func objectsWithPrefix[T Object](c *Cluster, prefix string) iter.Seq[T] {
	return func(yield func(T) bool) {
		if c == nil {
			return
		}
		for _, o := range c.objects.Prefix(prefix) {
			if t, is := o.(T); is && !yield(t) {
				return
			}
		}
	}
}

// ObjectsOfKind yields all objects of a kind by namespace and name.
func ObjectsOfKind[T Object](c *Cluster, k Kind) iter.Seq[T] {
	return objectsWithPrefix[T](c, string(k)+"\x00")
}

// Pods yields all pods by namespace and name; the methods below do so for other kinds.
func (c *Cluster) Pods() iter.Seq[*Pod] { return ObjectsOfKind[*Pod](c, KindPod) }
func (c *Cluster) Namespaces() iter.Seq[*Namespace] {
	return ObjectsOfKind[*Namespace](c, KindNamespace)
}
func (c *Cluster) Nodes() iter.Seq[*Node]       { return ObjectsOfKind[*Node](c, KindNode) }
func (c *Cluster) Services() iter.Seq[*Service] { return ObjectsOfKind[*Service](c, KindService) }
func (c *Cluster) EndpointSlices() iter.Seq[*EndpointSlice] {
	return ObjectsOfKind[*EndpointSlice](c, KindEndpointSlice)
}
func (c *Cluster) Events() iter.Seq[*Event] { return ObjectsOfKind[*Event](c, KindEvent) }

// Tiers yields the Tiers by name; Groups yields the groups of one kind, ClusterGroup or Group.
func (c *Cluster) Tiers() iter.Seq[*Tier]         { return ObjectsOfKind[*Tier](c, KindTier) }
func (c *Cluster) Groups(k Kind) iter.Seq[*Group] { return ObjectsOfKind[*Group](c, k) }

// PodsIn yields the pods of one namespace by name.
func (c *Cluster) PodsIn(namespace string) iter.Seq[*Pod] {
	return ObjectsOfKind[*Pod](c, KindPod+"\x00"+Kind(namespace))
}

// Policies yields the policies of some kinds, kind by kind, each by namespace and name.
func (c *Cluster) Policies(kinds ...Kind) iter.Seq[*Policy] {
	return func(yield func(*Policy) bool) {
		for _, k := range kinds {
			for p := range ObjectsOfKind[*Policy](c, k) {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// AllPolicies yields every policy that may have rows: ANP, BANP, NetworkPolicy, MultiNetworkPolicy,
// EgressFirewall, ClusterNetworkPolicy.
func (c *Cluster) AllPolicies() iter.Seq[*Policy] {
	return c.Policies(KindANP, KindBANP, KindNP, KindMNP, KindEF, KindCNP)
}

// TieredPolicies yields the policies of a plugin's own tiers.
func (c *Cluster) TieredPolicies() iter.Seq[*Policy] { return c.Policies(KindACNP, KindANNP) }

// EveryPolicy yields every policy of any system: AllPolicies, then TieredPolicies.
func (c *Cluster) EveryPolicy() iter.Seq[*Policy] {
	return c.Policies(KindANP, KindBANP, KindNP, KindMNP, KindEF, KindCNP, KindACNP, KindANNP)
}

// Objects yields every object by kind, namespace and name.
func (c *Cluster) Objects() iter.Seq[Object] { return objectsWithPrefix[Object](c, "") }

// IsEmpty reports whether the cluster has no object.
func (c *Cluster) IsEmpty() bool {
	for range c.Objects() {
		return false
	}
	return true
}

// Count counts the objects of a kind.
func (c *Cluster) Count(k Kind) (n int) {
	for range ObjectsOfKind[Object](c, k) {
		n++
	}
	return n
}
