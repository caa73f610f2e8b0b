package compiler

import (
	"slices"
	"strings"

	"rung/model"
	"rung/model/selectors"
	"rung/model/sorted"
)

// membership follows which pods are in which groups, and which addresses in which sets.
type membership struct {
	selectors  *selectors.Index
	namespaces map[string]*nsState

	groups  map[groupKey]*group
	index   groupIndex
	freeIDs []int
	nextID  int
	epoch   uint64 // counts changes of the set of groups

	nodeSets map[*setSpec]struct{} // sets with nodes peers

	// holders and nodeHolders find who else carries an address, so that it
	// leaves a set only with the last of them.
	holders     map[string][]*model.Pod
	nodeHolders map[string][]*model.Node
	v4, v6      int // addresses of peer pods by family

	// relabel is set while a namespace moves to other groups, pod by pod.
	relabel *relabel

	// Of the step under way.
	rec     *recorder
	touched map[*group]struct{}
	pass    uint64     // counts moves
	met     []*setSpec // by the last of them, kept for the next
	space   space
	nsTxn   *sorted.Txn[*selectors.Class]
	buckTxn *sorted.Txn[*bucketView]
}

type relabel struct {
	namespace string
	old       map[*bucket][]*group
	moved     map[model.Key]bool
}

func newMembership() membership {
	return membership{
		selectors: &selectors.Index{}, namespaces: map[string]*nsState{},
		groups: map[groupKey]*group{}, index: groupIndex{map[*selectors.Selector][]*group{}, map[string][]*group{}},
		nodeSets: map[*setSpec]struct{}{}, holders: map[string][]*model.Pod{}, nodeHolders: map[string][]*model.Node{},
	}
}

// begin starts a step.
func (c *membership) begin() {
	c.rec, c.touched = &recorder{policies: map[model.PolicyKey]struct{}{}}, map[*group]struct{}{}
	c.nsTxn, c.buckTxn = c.space.namespaces.Txn(), c.space.buckets.Txn()
}

func (c *membership) nsState(name string) *nsState {
	ns := c.namespaces[name]
	if ns == nil {
		ns = &nsState{buckets: map[bucketKey]*bucket{}}
		c.namespaces[name] = ns
	}
	return ns
}

func (c *membership) bucketOf(p *model.Pod) *bucket {
	return c.nsState(p.Namespace).buckets[bucketKey{c.selectors.Held(p.Labels), p.HostNetwork}]
}

func (c *membership) putIn(p *model.Pod, cl *selectors.Class) *bucket {
	ns := c.nsState(p.Namespace)
	k := bucketKey{cl, p.HostNetwork}
	b := ns.buckets[k]
	if b == nil {
		b = &bucket{bucketKey: k, namespace: p.Namespace}
		ns.buckets[k] = b
	}
	i, _ := slices.BinarySearchFunc(b.pods, p.Name,
		func(q *model.Pod, name string) int { return strings.Compare(q.Name, name) })
	c.setBucket(b, slices.Concat(b.pods[:i], []*model.Pod{p}, b.pods[i:]))
	return b
}

func (c *membership) takeOut(b *bucket, p *model.Pod) {
	next := make([]*model.Pod, 0, len(b.pods))
	for _, q := range b.pods {
		if q.Name != p.Name {
			next = append(next, q)
		}
	}
	c.setBucket(b, next)
	if len(next) == 0 {
		ns := c.nsState(b.namespace)
		delete(ns.buckets, b.bucketKey)
		if ns.class == nil && len(ns.buckets) == 0 {
			delete(c.namespaces, b.namespace)
		}
	}
	c.selectors.Release(b.class)
}

func (c *membership) setBucket(b *bucket, pods []*model.Pod) {
	b.pods = pods
	k := treeKey(b.namespace, b.class.Labels().Key(), b.host)
	if len(pods) == 0 {
		c.buckTxn.Delete(k)
		return
	}
	c.buckTxn.Set(k, &bucketView{b.bucketKey, pods})
}

// group interns the pair of selectors.
func (c *membership) group(ns, pods model.Selector, namespace string, host bool) *group {
	k := groupKey{c.selectors.Selector(ns), c.selectors.Selector(pods), namespace, host}
	g := c.groups[k]
	if g == nil {
		g = &group{groupKey: k,
			sets: map[*setSpec]struct{}{}, subjects: map[*Compiled]struct{}{}, named: map[*Compiled]struct{}{}}
		if n := len(c.freeIDs); n > 0 {
			g.id, c.freeIDs = c.freeIDs[n-1], c.freeIDs[:n-1]
		} else {
			g.id = c.nextID
			c.nextID++
		}
		c.groups[k] = g
		c.index.add(g)
		c.epoch++
		c.touched[g] = struct{}{}
	}
	return g
}

// uses walks the groups a policy uses, once per use.
func (p *Compiled) uses(visit func(*group)) {
	for _, g := range p.subjects {
		visit(g)
	}
	for _, s := range p.shared {
		visit(s)
	}
	for _, r := range p.rules {
		for _, g := range r.peers {
			if g != nil {
				visit(g)
			}
		}
	}
}

func (c *membership) link(p *Compiled) {
	p.uses(func(g *group) { g.refs++ })
	if p.GroupName != "" { // otherwise there is no port group to follow the pods
		for _, g := range p.subjects {
			g.subjects[p] = struct{}{}
		}
	}
	for _, s := range p.Sets {
		for _, g := range s.groups {
			g.sets[s] = struct{}{}
		}
		if len(s.nodes) > 0 {
			c.nodeSets[s] = struct{}{}
		}
	}
	for _, r := range p.rules {
		if len(r.names) == 0 {
			continue
		}
		if r.rule.Direction == model.Ingress {
			for _, g := range p.subjects {
				g.named[p] = struct{}{}
			}
		}
		for _, g := range r.peers {
			if g != nil {
				g.named[p] = struct{}{}
			}
		}
	}
}

func (c *membership) unlink(p *Compiled) {
	for _, s := range p.Sets {
		for _, g := range s.groups {
			delete(g.sets, s)
		}
		delete(c.nodeSets, s)
	}
	p.uses(func(g *group) {
		delete(g.subjects, p)
		delete(g.named, p)
		g.refs--
		if g.refs == 0 {
			delete(c.groups, g.groupKey)
			c.index.remove(g)
			c.freeIDs = append(c.freeIDs, g.id)
			c.epoch++
			c.touched[g] = struct{}{} // its view, with a list of pods, must go
		}
	})
}

// targets are the groups that select a bucket.
func (c *membership) targets(b *bucket) []*group {
	if b.epoch == c.epoch && b.targets != nil {
		return b.targets
	}
	b.targets, b.epoch = make([]*group, 0, 8), c.epoch
	if ns := c.namespaces[b.namespace]; ns != nil && ns.class != nil {
		c.index.meeting(b.namespace, ns.class, func(g *group) {
			if g.selectsPods(b.bucketKey) {
				b.targets = append(b.targets, g)
			}
		})
		slices.SortFunc(b.targets, func(a, b *group) int { return a.id - b.id })
	}
	return b.targets
}
