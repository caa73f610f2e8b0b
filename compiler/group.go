package compiler

import (
	"slices"
	"sync"

	"rung/model"
	"rung/model/selectors"
	"rung/model/sorted"
)

// selectorGroup is one distinct pair of namespace and pod selector, whoever uses it: as
// the subject of a policy or as a peer of rules.
type selectorGroup struct {
	groupKey
	id int

	refs           int
	sets           map[*setSpec]struct{}      // address sets that take its addresses
	subjects       map[*CompiledUnit]struct{} // policies it is the subject of
	namedPortUsers map[*CompiledUnit]struct{} // policies whose named ports read its pods
}

type groupKey struct {
	ns, pods *selectors.Selector
	// namespace restricts to one namespace by name; empty otherwise.
	namespace string
	// host says that pods on the host's network are taken too.
	host bool
}

// selectsBucket says whether pods of the bucket belong to the group.
func (g *selectorGroup) selectsBucket(namespace string, ns *selectors.Class, k bucketKey) bool {
	return g.selectsIn(namespace, ns) && g.selectsPods(k)
}

// selectsPods says so once the namespace is known to be selected.
func (g *selectorGroup) selectsPods(k bucketKey) bool {
	return (g.host || !k.host) && k.class.Matches(g.pods)
}

// selectsIn says whether pods of the namespace may belong to the group.
func (g *selectorGroup) selectsIn(namespace string, ns *selectors.Class) bool {
	return ns != nil && (g.namespace == "" || g.namespace == namespace) && ns.Matches(g.ns)
}

// groupIndex finds the groups that may select pods of a namespace: a namespace
// meets each distinct namespace selector once, and of the groups of one namespace
// only its own.
type groupIndex struct {
	wide  map[*selectors.Selector][]*selectorGroup // by namespace selector
	local map[string][]*selectorGroup              // by the one namespace they are of
}

func (x groupIndex) add(g *selectorGroup) {
	if g.namespace != "" {
		x.local[g.namespace] = append(x.local[g.namespace], g)
		return
	}
	x.wide[g.ns] = append(x.wide[g.ns], g)
}

func (x groupIndex) remove(g *selectorGroup) {
	is := func(o *selectorGroup) bool { return o == g }
	if g.namespace != "" {
		deleteWhere(x.local, g.namespace, is)
	} else {
		deleteWhere(x.wide, g.ns, is)
	}
}

// deleteWhere deletes values from the list of a key, and the key with the last of them.
func deleteWhere[K comparable, V any](lists map[K][]V, k K, gone func(V) bool) {
	lists[k] = slices.DeleteFunc(lists[k], gone)
	if len(lists[k]) == 0 {
		delete(lists, k)
	}
}

// visitSelecting visits the groups that select the namespace.
func (x groupIndex) visitSelecting(namespace string, ns *selectors.Class, visit func(*selectorGroup)) {
	for s, groups := range x.wide {
		if ns.Matches(s) {
			for _, g := range groups {
				visit(g)
			}
		}
	}
	for _, g := range x.local[namespace] {
		if ns.Matches(g.ns) {
			visit(g)
		}
	}
}

// bucketKey tells the buckets of a namespace apart: by label set, and pods on the
// host's network from others.
type bucketKey struct {
	class *selectors.Class
	host  bool
}

// podBucket holds the eligible pods of one namespace with one label set, by name.
// The slice is never changed, only replaced.
type podBucket struct {
	bucketKey
	namespace string
	pods      []*model.Pod

	// targets are the groups that select the bucket, valid for one epoch.
	targets []*selectorGroup
	epoch   uint64
}

// bucketView is a bucket as a Desired sees it.
type bucketView struct {
	bucketKey
	pods []*model.Pod
}

// namespaceState is the compiler's knowledge of one namespace. class is nil while the
// Namespace object is unknown: no selector matches its pods then.
type namespaceState struct {
	class   *selectors.Class
	buckets map[bucketKey]*podBucket
}

// podSpace is the immutable side: namespaces and buckets of one revision.
type podSpace struct {
	namespaces *sorted.Map[*selectors.Class] // name → label class
	buckets    *sorted.Map[*bucketView]      // see bucketTreeKey
}

// groupView is a group in one revision; its pods are listed when first asked
// for and kept until the group is touched.
type groupView struct {
	group *selectorGroup

	once      sync.Once
	pods      []*model.Pod // by namespace and name
	podsApart int          // of these, with a primary network of their own

	v4, v6 addressList // of the pods
}

// addressList are a group's addresses of one family, sorted, without duplicates. They are
// listed when first asked for: a group is in many address sets.
type addressList struct {
	once sync.Once
	list []string
}

func (v *groupView) addressesOf(sp podSpace, v6 bool) []string {
	a := &v.v4
	if v6 {
		a = &v.v6
	}
	a.once.Do(func() {
		for _, p := range v.listPods(sp) {
			for _, ip := range p.IPs {
				if isV6(ip) == v6 {
					a.list = append(a.list, ip)
				}
			}
		}
		slices.Sort(a.list)
		a.list = slices.Clip(slices.Compact(a.list))
	})
	return a.list
}

// listPods reads the pods from the space of whichever revision asks first: as long
// as revisions share the view, the group's pods are the same in all of them.
func (v *groupView) listPods(sp podSpace) []*model.Pod {
	v.once.Do(func() {
		g := v.group
		visit := func(name string, nsClass *selectors.Class) {
			if !g.selectsIn(name, nsClass) {
				return
			}
			start := len(v.pods)
			runs := 0
			for _, b := range sp.buckets.Prefix(name + "\x00") {
				if (g.host || !b.host) && b.class.Matches(g.pods) {
					v.pods = append(v.pods, b.pods...)
					runs++
				}
			}
			if runs > 1 {
				sortPods(v.pods[start:])
			}
		}
		if g.namespace != "" {
			if c, ok := sp.namespaces.Get(g.namespace); ok {
				visit(g.namespace, c)
			}
		} else {
			for name, c := range sp.namespaces.Prefix("") {
				visit(name, c)
			}
		}
		for _, p := range v.pods {
			if p.PrimaryUDN() != "" {
				v.podsApart++
			}
		}
	})
	return v.pods
}

// bucketTreeKey is where a bucket is in a space: the namespace, the labels and whether
// the pods are on the host's network, separated so that the buckets of a
// namespace have a prefix of their own.
func bucketTreeKey(namespace, labels string, host bool) string {
	if host {
		return namespace + "\x00" + labels + "\x00"
	}
	return namespace + "\x00" + labels
}

// groupViews are the views of groups, by the id of the group.
type groupViews []*groupView

// viewOf is the view of a group, nil if these rows have another group of its id or none.
func (d *Desired) viewOf(g *selectorGroup) *groupView {
	if g.id < len(d.views) && d.views[g.id] != nil && d.views[g.id].group == g {
		return d.views[g.id]
	}
	return nil
}

// IsSubject says whether the policy applies to the pod (or would, without rows),
// without listing the others.
func (d *Desired) IsSubject(c *CompiledUnit, p *model.Pod) bool {
	if d == nil || c == nil || p == nil || !p.CanBeSubject() {
		return false
	}
	d = d.onNetwork(c.Key.Network)
	if d.name != "" && d.cluster.Pod(p.Namespace, p.Name) == nil {
		return false // it has no port there
	}
	ns, ok := d.space.namespaces.Get(p.Namespace)
	if !ok {
		return false
	}
	b, ok := d.space.buckets.Get(bucketTreeKey(p.Namespace, p.Labels.Key(), false))
	if !ok {
		return false
	}
	for _, g := range c.subjects {
		if g.selectsBucket(p.Namespace, ns, b.bucketKey) {
			return true
		}
	}
	return false
}

// NamedPorts says whether some rule has named ports: the policy's ACLs then
// depend on the zone and on which logical switch ports exist there.
func (p *CompiledUnit) NamedPorts() bool { return p.hasNamedPorts }
