package compiler

import (
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/selectors"
	"rung/model/sorted"
)

// Compiler follows a cluster step by step. It belongs to one goroutine; what it
// returns may be read by any.
type Compiler struct {
	requested, options Options
	cluster            *model.Cluster

	selectors  *selectors.Index
	namespaces map[string]*nsState
	compactAt  int

	groups  map[groupKey]*group
	index   groupIndex
	freeIDs []int
	nextID  int
	epoch   uint64 // counts changes of the set of groups

	policies map[model.PolicyKey]*Compiled // and other units
	nodeSets map[*setSpec]struct{}         // sets with nodes peers

	// What the units of tier 2 hang on: NetworkPolicies by namespace and name,
	// EgressFirewalls, the namespaces that let multicast through, and the shared
	// units with who needs them.
	netpols   map[string]map[string]*model.Policy
	firewalls map[model.PolicyKey]*model.Policy
	multicast map[string]struct{}
	subnets   []netip.Prefix // that the nodes say their pods have
	sharing   map[model.PolicyKey]*sharedUnit
	needs     map[model.PolicyKey][]model.PolicyKey

	// holders and nodeHolders find who else carries an address, so that it
	// leaves a set only with the last of them.
	holders     map[string][]*model.Pod
	nodeHolders map[string][]*model.Node
	v4, v6      int // addresses of peer pods by family

	// relabel is set while a namespace moves to other groups, pod by pod.
	relabel *relabel

	desired *Desired

	// Of the step under way.
	rec     *recorder
	stale   stale
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

// New makes a compiler that knows nothing yet.
func New(o Options) *Compiler {
	c := &Compiler{
		requested: o, options: o, compactAt: compactFirst,
		selectors: &selectors.Index{}, namespaces: map[string]*nsState{},
		groups: map[groupKey]*group{}, index: groupIndex{map[*selectors.Selector][]*group{}, map[string][]*group{}},
		policies: map[model.PolicyKey]*Compiled{},
		nodeSets: map[*setSpec]struct{}{}, holders: map[string][]*model.Pod{}, nodeHolders: map[string][]*model.Node{},
		netpols: map[string]map[string]*model.Policy{}, firewalls: map[model.PolicyKey]*model.Policy{},
		multicast: map[string]struct{}{}, sharing: map[model.PolicyKey]*sharedUnit{},
		needs: map[model.PolicyKey][]model.PolicyKey{},
	}
	c.families()
	c.desired = &Desired{selectors: c.selectors, options: c.options, space: c.space}
	return c
}

// Compile compiles a whole cluster at once.
func Compile(cluster *model.Cluster, o Options) *Desired {
	d, _ := New(o).Apply(cluster, everything(cluster))
	return d
}

func (c *Compiler) maxPriority() int32 {
	if c.requested.MaxPriority > 0 {
		return c.requested.MaxPriority
	}
	return model.MaxPriority
}

// families decides which address families are compiled for, and which subnets pods have,
// and says whether the families are news.
func (c *Compiler) families() bool {
	o := c.requested
	if !o.IPv4 && !o.IPv6 {
		o.IPv6 = c.v6 > 0
		o.IPv4 = c.v4 > 0 || !o.IPv6
	}
	if o.NodeSubnets = o.NodeSubnets || len(o.ClusterSubnets) == 0; o.NodeSubnets {
		o.ClusterSubnets = c.subnets
	}
	news := o.IPv4 != c.options.IPv4 || o.IPv6 != c.options.IPv6
	c.options = o
	return news
}

// Apply takes the next cluster and what changed since the last one, in order,
// and returns the desired rows with what is new about them.
func (c *Compiler) Apply(next *model.Cluster, changes []model.Change) (*Desired, *Delta) {
	if c.wasteful() {
		return c.compact(next)
	}
	hadDefaults, hadMulticast := c.defaultsOn() && c.cluster != nil, c.multicastOn() && c.cluster != nil
	c.cluster = next
	c.rec, c.touched = &recorder{policies: map[model.PolicyKey]struct{}{}}, map[*group]struct{}{}
	c.stale = stale{isolation: map[string]struct{}{}, logging: map[string]struct{}{}, multicast: map[string]struct{}{}, nodes: map[string]struct{}{}}
	c.nsTxn, c.buckTxn = c.space.namespaces.Txn(), c.space.buckets.Txn()
	policies := c.desired.policies.Txn()
	var later []model.Change
	for _, ch := range changes {
		switch object(ch).(type) {
		case *model.Pod:
			old, _ := ch.Old.(*model.Pod)
			pod, _ := ch.New.(*model.Pod)
			c.pod(old, pod)
		case *model.Namespace:
			old, _ := ch.Old.(*model.Namespace)
			ns, _ := ch.New.(*model.Namespace)
			c.namespace(ch.Key().Name, ns)
			c.namespaceNews(ch.Key().Name, old, ns)
		case *model.Node:
			old, _ := ch.Old.(*model.Node)
			node, _ := ch.New.(*model.Node)
			c.node(old, node)
			c.nodeNews(ch.Key().Name, old, node)
		case *model.Policy:
			later = append(later, ch)
		}
	}
	if c.stale.subnets {
		c.subnets = nodeSubnets(next)
	}
	// Policies come last: they are compiled once, against the families and
	// nodes that hold at the end of the step.
	all := c.families()
	for _, ch := range later {
		p, _ := ch.New.(*model.Policy)
		if c.options.Nothing {
			p = nil
		}
		switch k := ch.Key(); {
		case k.Kind.IsAdmin():
			c.policy(k, p)
		case k.Kind == model.KindNP:
			c.netpol(k, p)
		case k.Kind == model.KindEF:
			c.firewall(k, p)
		}
	}
	if all {
		c.everythingAnew()
	}
	c.refresh(hadDefaults, hadMulticast)
	for k := range c.rec.policies {
		if compiled := c.policies[k]; compiled != nil {
			policies.Set(k.String(), compiled)
		} else {
			policies.Delete(k.String())
		}
	}
	c.commit(policies.Commit())
	delta := c.rec.delta()
	delta.All = all
	c.rec, c.touched = nil, nil
	c.nsTxn, c.buckTxn = nil, nil
	return c.desired, delta
}

func (c *Compiler) commit(policies *sorted.Map[*Compiled]) {
	c.space = space{namespaces: c.nsTxn.Commit(), buckets: c.buckTxn.Commit()}
	next := &Desired{cluster: c.cluster, selectors: c.selectors, policies: policies, views: c.desired.views,
		options: c.options, space: c.space}
	if len(c.touched) > 0 {
		e := c.desired.views.edit()
		// Groups that went first: another may have their id already.
		for g := range c.touched {
			if g.refs == 0 {
				e.set(g.id, nil)
			}
		}
		for g := range c.touched {
			if g.refs > 0 {
				e.set(g.id, &groupView{group: g})
			}
		}
		next.views = e.table
	}
	c.desired = next
}

func object(ch model.Change) model.Object {
	if ch.New != nil {
		return ch.New
	}
	return ch.Old
}

// group interns the pair of selectors.
func (c *Compiler) group(ns, pods model.Selector, namespace string, host bool) *group {
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

// policy replaces or removes (p nil) one ANP or BANP.
func (c *Compiler) policy(k model.PolicyKey, p *model.Policy) {
	if p != nil {
		c.put(k, c.compilePolicy(p))
	} else {
		c.put(k, nil)
	}
}

// put replaces or removes (next nil) a unit.
func (c *Compiler) put(k model.PolicyKey, next *Compiled) {
	old := c.policies[k]
	if next == nil && old == nil {
		return
	}
	if next != nil {
		c.policies[k] = next
		c.link(next)
	} else {
		delete(c.policies, k)
	}
	if old != nil {
		c.unlink(old)
	}
	c.rec.policy(k)
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

func (c *Compiler) link(p *Compiled) {
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

func (c *Compiler) unlink(p *Compiled) {
	for _, s := range p.Sets {
		for _, g := range s.groups {
			delete(g.sets, s)
		}
		delete(c.nodeSets, s)
	}
	p.uses(func(g *group) {
		delete(g.subjects, p)
		delete(g.named, p)
		if g.refs--; g.refs == 0 {
			delete(c.groups, g.groupKey)
			c.index.remove(g)
			c.freeIDs = append(c.freeIDs, g.id)
			c.epoch++
			c.touched[g] = struct{}{} // its view, with a list of pods, must go
		}
	})
}

// targets are the groups that select a bucket.
func (c *Compiler) targets(b *bucket) []*group {
	if b.epoch != c.epoch || b.targets == nil {
		b.targets = c.selecting(b)
		b.epoch = c.epoch
	}
	return b.targets
}

func (c *Compiler) selecting(b *bucket) []*group {
	out := make([]*group, 0, 8)
	ns := c.namespaces[b.namespace]
	if ns == nil || ns.class == nil {
		return out
	}
	c.index.meeting(b.namespace, ns.class, func(g *group) {
		if g.selectsPods(b.bucketKey) {
			out = append(out, g)
		}
	})
	slices.SortFunc(out, func(a, b *group) int { return a.id - b.id })
	return out
}
