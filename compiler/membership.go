package compiler

import (
	"slices"
	"strings"

	"rung/model"
	"rung/model/selectors"
	"rung/model/sorted"
)

// membership tracks which pods belong to which groups, and which addresses to which sets.
type membership struct {
	selectors  *selectors.Index
	namespaces map[string]*namespaceState

	groups  map[groupKey]*selectorGroup
	index   groupIndex
	freeIDs []int
	nextID  int
	epoch   uint64 // counts changes of the set of groups

	nodeSets map[*SetSpec]struct{} // sets with nodes peers

	// holders and nodeHolders list the owners of each address: it leaves a set with the last of them.
	holders     map[string][]*model.Pod
	nodeHolders map[string][]*model.Node
	v4, v6      int // addresses of peer pods by family

	// freezing are the pods with unreadable addresses: sets that select them keep their members
	// (networks.md#frozen-sets). freezingStale is set when freezing changes.
	freezing      map[model.Key]*model.Pod
	freezingStale bool

	// relabel is set while a namespace's pods move to other groups.
	relabel *relabelling

	// State of the current step.
	rec          *deltaRecorder
	touched      map[*selectorGroup]struct{}
	movesCounted uint64     // counts moves
	movedSets    []*SetSpec // sets met by the last move, kept to reuse its memory
	space        podSpace
	nsTxn        *sorted.Txn[*selectors.Class]
	buckTxn      *sorted.Txn[*bucketView]
}

type relabelling struct {
	namespace string
	oldGroups map[*podBucket][]*selectorGroup
	movedPods map[model.Key]bool
}

func newMembership() membership {
	return membership{
		selectors: &selectors.Index{}, namespaces: map[string]*namespaceState{},
		groups: map[groupKey]*selectorGroup{}, index: groupIndex{map[*selectors.Selector][]*selectorGroup{}, map[string][]*selectorGroup{}},
		nodeSets: map[*SetSpec]struct{}{}, holders: map[string][]*model.Pod{}, nodeHolders: map[string][]*model.Node{},
		freezing: map[model.Key]*model.Pod{},
	}
}

// beginStep starts a step.
func (c *membership) beginStep() {
	c.rec, c.touched = &deltaRecorder{policies: map[model.PolicyKey]struct{}{}}, map[*selectorGroup]struct{}{}
	c.nsTxn, c.buckTxn = c.space.namespaces.Txn(), c.space.buckets.Txn()
}

func (c *membership) ensureNamespace(name string) *namespaceState {
	ns := c.namespaces[name]
	if ns == nil {
		ns = &namespaceState{buckets: map[bucketKey]*podBucket{}}
		c.namespaces[name] = ns
	}
	return ns
}

func (c *membership) findBucket(p *model.Pod) *podBucket {
	return c.ensureNamespace(p.Namespace).buckets[bucketKey{c.selectors.HeldClass(p.Labels), p.HostNetwork}]
}

func (c *membership) addToBucket(p *model.Pod, cl *selectors.Class) *podBucket {
	ns := c.ensureNamespace(p.Namespace)
	k := bucketKey{cl, p.HostNetwork}
	b := ns.buckets[k]
	if b == nil {
		b = &podBucket{bucketKey: k, namespace: p.Namespace}
		ns.buckets[k] = b
	}
	i, _ := slices.BinarySearchFunc(b.pods, p.Name, func(q *model.Pod, name string) int { return strings.Compare(q.Name, name) })
	c.setBucketPods(b, slices.Concat(b.pods[:i], []*model.Pod{p}, b.pods[i:]))
	return b
}

func (c *membership) removeFromBucket(b *podBucket, p *model.Pod) {
	next := make([]*model.Pod, 0, len(b.pods))
	for _, q := range b.pods {
		if q.Name != p.Name {
			next = append(next, q)
		}
	}
	c.setBucketPods(b, next)
	if len(next) == 0 {
		ns := c.ensureNamespace(b.namespace)
		delete(ns.buckets, b.bucketKey)
		if ns.class == nil && len(ns.buckets) == 0 {
			delete(c.namespaces, b.namespace)
		}
	}
	c.selectors.ReleaseClass(b.class)
}

func (c *membership) setBucketPods(b *podBucket, pods []*model.Pod) {
	b.pods = pods
	k := bucketTreeKey(b.namespace, b.class.Labels().Key(), b.host)
	if len(pods) == 0 {
		c.buckTxn.Delete(k)
		return
	}
	c.buckTxn.Set(k, &bucketView{b.bucketKey, pods})
}

// internGroup returns the group of the two selectors, and makes it if needed.
func (c *membership) internGroup(ns, pods model.Selector, namespace string, host bool) *selectorGroup {
	k := groupKey{c.selectors.InternSelector(ns), c.selectors.InternSelector(pods), namespace, host}
	g := c.groups[k]
	if g == nil {
		g = &selectorGroup{groupKey: k,
			sets: map[*SetSpec]struct{}{}, subjects: map[*CompiledUnit]struct{}{}, namedPortUsers: map[*CompiledUnit]struct{}{}}
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

// visitGroups walks the groups a policy uses, once per use.
func (p *CompiledUnit) visitGroups(visit func(*selectorGroup)) {
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

func (c *membership) linkUnit(p *CompiledUnit) {
	p.visitGroups(func(g *selectorGroup) { g.refs++ })
	if p.GroupName != "" { // without a port group no ports are followed
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
				g.namedPortUsers[p] = struct{}{}
			}
		}
		for _, g := range r.peers {
			if g != nil {
				g.namedPortUsers[p] = struct{}{}
			}
		}
	}
}

func (c *membership) unlinkUnit(p *CompiledUnit) {
	for _, s := range p.Sets {
		for _, g := range s.groups {
			delete(g.sets, s)
		}
		delete(c.nodeSets, s)
	}
	p.visitGroups(func(g *selectorGroup) {
		delete(g.subjects, p)
		delete(g.namedPortUsers, p)
		g.refs--
		if g.refs == 0 {
			delete(c.groups, g.groupKey)
			c.index.remove(g)
			c.freeIDs = append(c.freeIDs, g.id)
			c.epoch++
			c.touched[g] = struct{}{} // drops its view with the list of pods
		}
	})
}

// groupsOfBucket returns the groups that select a bucket.
func (c *membership) groupsOfBucket(b *podBucket) []*selectorGroup {
	if b.epoch == c.epoch && b.targets != nil {
		return b.targets
	}
	b.targets, b.epoch = make([]*selectorGroup, 0, 8), c.epoch
	if ns := c.namespaces[b.namespace]; ns != nil && ns.class != nil {
		c.index.visitSelecting(b.namespace, ns.class, func(g *selectorGroup) {
			if g.selectsPods(b.bucketKey) {
				b.targets = append(b.targets, g)
			}
		})
		slices.SortFunc(b.targets, func(a, b *selectorGroup) int { return a.id - b.id })
	}
	return b.targets
}
