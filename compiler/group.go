package compiler

import (
	"slices"
	"sync"

	"rung/model"
	"rung/model/selectors"
	"rung/model/sorted"
)

// selectorGroup is one distinct pair of namespace and pod selector, shared by all its users.
type selectorGroup struct {
	groupKey
	id int

	refs           int
	sets           map[*SetSpec]struct{}      // address sets that take its addresses
	subjects       map[*CompiledUnit]struct{} // policies it is the subject of
	namedPortUsers map[*CompiledUnit]struct{} // policies whose named ports read its pods
}

type groupKey struct {
	ns, pods *selectors.Selector
	// namespace is the only selected namespace; empty: no restriction.
	namespace string
	// host includes pods on the host's network.
	host bool
}

// selectsBucket reports whether the bucket's pods belong to the group.
func (g *selectorGroup) selectsBucket(namespace string, ns *selectors.Class, k bucketKey) bool {
	return g.selectsIn(namespace, ns) && g.selectsPods(k)
}

// selectsPods reports whether the bucket's pods belong to the group, if its namespace is selected.
func (g *selectorGroup) selectsPods(k bucketKey) bool {
	return (g.host || !k.host) && k.class.Matches(g.pods)
}

// selectsIn reports whether pods of the namespace can belong to the group.
func (g *selectorGroup) selectsIn(namespace string, ns *selectors.Class) bool {
	return ns != nil && (g.namespace == "" || g.namespace == namespace) && ns.Matches(g.ns)
}

// groupIndex finds the groups that may select pods of a namespace. It evaluates each distinct namespace
// selector once, and tries groups of a single namespace only there.
type groupIndex struct {
	wide  map[*selectors.Selector][]*selectorGroup // by namespace selector
	local map[string][]*selectorGroup              // by their only namespace
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

// deleteWhere deletes matching values from a key's list, and the key if its list is empty.
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

// bucketKey identifies a bucket of a namespace: label set, and whether on the host's network.
type bucketKey struct {
	class *selectors.Class
	host  bool
}

// podBucket holds the eligible pods of one namespace with one label set, by name. The slice never changes.
type podBucket struct {
	bucketKey
	namespace string
	pods      []*model.Pod

	// targets are the groups that select the bucket, cached for one epoch.
	targets []*selectorGroup
	epoch   uint64
}

// bucketView is the immutable form of a bucket in a Desired.
type bucketView struct {
	bucketKey
	pods []*model.Pod
}

// namespaceState holds a namespace's label class and buckets. class is nil without a Namespace object.
type namespaceState struct {
	class   *selectors.Class
	buckets map[bucketKey]*podBucket
}

// podSpace holds the immutable namespaces and buckets of one revision.
type podSpace struct {
	namespaces *sorted.Map[*selectors.Class] // name → label class
	buckets    *sorted.Map[*bucketView]      // see bucketTreeKey
}

// groupView is a group in one revision. Its pods are listed on first use and kept until the group changes.
type groupView struct {
	group *selectorGroup

	once          sync.Once
	pods          []*model.Pod // by namespace and name
	podsOnPrimary int          // pods with a primary network of their own

	v4, v6 addressList // of the pods
}

// addressList holds a group's addresses of one family, sorted, without duplicates. They are listed on first use.
type addressList struct {
	once sync.Once
	list []string
}

func (v *groupView) listAddresses(sp podSpace, v6 bool) []string {
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

// listPods lists the pods from the first caller's revision. Revisions that share it have the same pods.
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
				v.podsOnPrimary++
			}
		}
	})
	return v.pods
}

// bucketTreeKey returns a bucket's key in a podSpace: namespace, labels, and a mark for the host's network.
// All buckets of a namespace share a prefix.
func bucketTreeKey(namespace, labels string, host bool) string {
	if host {
		return namespace + "\x00" + labels + "\x00"
	}
	return namespace + "\x00" + labels
}

// groupViews holds the views of groups by group id.
type groupViews []*groupView

// findGroupView returns the view of a group, nil if these rows lack the group or have another one under its id.
func (d *Desired) findGroupView(g *selectorGroup) *groupView {
	if g.id < len(d.views) && d.views[g.id] != nil && d.views[g.id].group == g {
		return d.views[g.id]
	}
	return nil
}

// IsSubject reports whether the policy applies to the pod, or would if it had rows.
func (d *Desired) IsSubject(c *CompiledUnit, p *model.Pod) bool {
	if d == nil || c == nil || p == nil || !p.CanBeSubject() {
		return false
	}
	d = d.onNetwork(c.Key.Network)
	if d.name != "" && d.cluster.Pod(p.Namespace, p.Name) == nil {
		return false // it has no port on that network
	}
	ns, ok := d.space.namespaces.Get(p.Namespace)
	if !ok {
		return false
	}
	b, ok := d.space.buckets.Get(bucketTreeKey(p.Namespace, p.Labels.Key(), false))
	if !ok {
		return false
	}
	return slices.ContainsFunc(c.subjects, func(g *selectorGroup) bool { return g.selectsBucket(p.Namespace, ns, b.bucketKey) })
}

// NamedPorts reports whether a rule has named ports. The ACLs then depend on the logical switch ports of the zone.
func (p *CompiledUnit) NamedPorts() bool { return p.hasNamedPorts }
