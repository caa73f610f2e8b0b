package model

import (
	"iter"

	"rung/model/sorted"
)

// Cluster is an immutable snapshot of all objects. The zero value and nil are
// an empty cluster.
type Cluster struct{ objects *sorted.Map[Object] }

// Change says that an object came (Old nil), changed, or went (New nil).
type Change struct{ Old, New Object }

// Key of the object that changed.
func (c Change) Key() Key {
	if c.New != nil {
		return c.New.ObjectKey()
	}
	return c.Old.ObjectKey()
}

// objectTreeKey is kind, NUL, namespace, NUL, name: kinds and namespaces are walked
// by prefix, in order.
func objectTreeKey(k Key) string { return string(k.Kind) + "\x00" + k.Namespace + "\x00" + k.Name }

// Upsert takes the keys of remove out, then puts the objects of upsert in, so
// that a key in both is replaced. The result is the next Cluster and what really
// changed, in that order, Old filled in: each change starts where the one before
// it of the same key ended. An object that replaces itself (same pointer) is no
// change, and without any change the result is c itself. Neither result is nil.
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

// Pod, Namespace, Node and Policy return one object or nil.
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

// ObjectsOf walks all objects of a kind by namespace and name.
func ObjectsOf[T Object](c *Cluster, k Kind) iter.Seq[T] {
	return objectsWithPrefix[T](c, string(k)+"\x00")
}

// Pods and the others walk all objects of a kind by namespace and name.
func (c *Cluster) Pods() iter.Seq[*Pod]             { return ObjectsOf[*Pod](c, KindPod) }
func (c *Cluster) Namespaces() iter.Seq[*Namespace] { return ObjectsOf[*Namespace](c, KindNamespace) }
func (c *Cluster) Nodes() iter.Seq[*Node]           { return ObjectsOf[*Node](c, KindNode) }
func (c *Cluster) Services() iter.Seq[*Service]     { return ObjectsOf[*Service](c, KindService) }
func (c *Cluster) EndpointSlices() iter.Seq[*EndpointSlice] {
	return ObjectsOf[*EndpointSlice](c, KindEndpointSlice)
}
func (c *Cluster) Events() iter.Seq[*Event] { return ObjectsOf[*Event](c, KindEvent) }

// Tiers walks the Tiers by name, Groups the groups of one kind, ClusterGroup
// or Group.
func (c *Cluster) Tiers() iter.Seq[*Tier]         { return ObjectsOf[*Tier](c, KindTier) }
func (c *Cluster) Groups(k Kind) iter.Seq[*Group] { return ObjectsOf[*Group](c, k) }

// PodsIn walks the pods of one namespace by name.
func (c *Cluster) PodsIn(namespace string) iter.Seq[*Pod] {
	return ObjectsOf[*Pod](c, KindPod+"\x00"+Kind(namespace))
}

// Policies walks the policies of some kinds, kind by kind, each by namespace and name.
func (c *Cluster) Policies(kinds ...Kind) iter.Seq[*Policy] {
	return func(yield func(*Policy) bool) {
		for _, k := range kinds {
			for p := range ObjectsOf[*Policy](c, k) {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// AllPolicies walks every policy that may have rows: ANP, BANP, NetworkPolicy, MultiNetworkPolicy, EgressFirewall,
// ClusterNetworkPolicy.
func (c *Cluster) AllPolicies() iter.Seq[*Policy] {
	return c.Policies(KindANP, KindBANP, KindNP, KindMNP, KindEF, KindCNP)
}

// TieredPolicies walks the policies in tiers of their plugin's own.
func (c *Cluster) TieredPolicies() iter.Seq[*Policy] { return c.Policies(KindACNP, KindANNP) }

// EveryPolicy walks every policy of any system: AllPolicies, then TieredPolicies.
func (c *Cluster) EveryPolicy() iter.Seq[*Policy] {
	return c.Policies(KindANP, KindBANP, KindNP, KindMNP, KindEF, KindCNP, KindACNP, KindANNP)
}

// Objects walks every object by kind, namespace and name.
func (c *Cluster) Objects() iter.Seq[Object] { return objectsWithPrefix[Object](c, "") }

// IsEmpty says whether there is no object at all.
func (c *Cluster) IsEmpty() bool {
	for range c.Objects() {
		return false
	}
	return true
}

// Count counts the objects of a kind.
func (c *Cluster) Count(k Kind) (n int) {
	for range ObjectsOf[Object](c, k) {
		n++
	}
	return n
}
