package compiler

import (
	"net/netip"

	"rung/model"
	"rung/model/sorted"
)

// Compiler follows a cluster step by step. It belongs to one goroutine; what it
// returns may be read by any.
type Compiler struct {
	requested, options Options
	cluster            *model.Cluster

	membership // which pods are in which groups and sets
	compactAt  int

	policies map[model.PolicyKey]*CompiledUnit // and other units

	// The objects that the units of tier 2 depend on: NetworkPolicies by namespace and
	// name, EgressFirewalls, the namespaces that allow multicast, and the shared units
	// with the policies that need them.
	netpols     map[string]map[string]*model.Policy
	firewalls   map[model.PolicyKey]*model.Policy
	multicast   map[string]struct{}
	subnets     []netip.Prefix // that the nodes say their pods have
	sharing     map[model.PolicyKey]*sharedUnit
	sharedNeeds map[model.PolicyKey][]model.PolicyKey

	desired   *Desired
	staleWork staleWork // of the step under way
}

// New makes a compiler that knows nothing yet.
func New(o Options) *Compiler {
	c := &Compiler{
		requested: o, options: o, compactAt: compactFirst, membership: newMembership(), policies: map[model.PolicyKey]*CompiledUnit{},
		netpols: map[string]map[string]*model.Policy{}, firewalls: map[model.PolicyKey]*model.Policy{},
		multicast: map[string]struct{}{}, sharing: map[model.PolicyKey]*sharedUnit{},
		sharedNeeds: map[model.PolicyKey][]model.PolicyKey{},
	}
	c.decideFamilies()
	c.desired = &Desired{selectors: c.selectors, options: c.options, space: c.space}
	return c
}

// Compile compiles a whole cluster at once.
func Compile(cluster *model.Cluster, o Options) *Desired {
	d, _ := New(o).Apply(cluster, changesOfAll(cluster))
	return d
}

func (c *Compiler) maxPriority() int32 {
	if c.requested.MaxPriority > 0 {
		return c.requested.MaxPriority
	}
	return model.MaxPriority
}

// decideFamilies decides which address families are compiled for, and which subnets pods have,
// and says whether the families are news.
func (c *Compiler) decideFamilies() bool {
	o := c.requested
	if !o.IPv4 && !o.IPv6 {
		o.IPv6 = c.v6 > 0
		o.IPv4 = c.v4 > 0 || !o.IPv6
	}
	o.NodeSubnets = o.NodeSubnets || len(o.ClusterSubnets) == 0
	if o.NodeSubnets {
		o.ClusterSubnets = c.subnets
	}
	news := o.IPv4 != c.options.IPv4 || o.IPv6 != c.options.IPv6
	c.options = o
	return news
}

// Apply takes the next cluster and what changed since the last one, in order,
// and returns the desired rows with what is new about them.
func (c *Compiler) Apply(next *model.Cluster, changes []model.Change) (*Desired, *Delta) {
	if c.isWasteful() {
		return c.startAnew(next)
	}
	hadDefaults, hadMulticast := c.areDefaultsOn() && c.cluster != nil, c.isMulticastOn() && c.cluster != nil
	c.cluster = next
	c.beginStep()
	c.staleWork = staleWork{isolation: map[string]struct{}{}, logging: map[string]struct{}{}, multicast: map[string]struct{}{}, nodes: map[string]struct{}{}}
	policies := c.desired.policies.Txn()
	var later []model.Change
	for _, ch := range changes {
		object := ch.New
		if object == nil {
			object = ch.Old
		}
		switch object.(type) {
		case *model.Pod:
			old, _ := ch.Old.(*model.Pod)
			pod, _ := ch.New.(*model.Pod)
			c.applyPod(old, pod)
		case *model.Namespace:
			old, _ := ch.Old.(*model.Namespace)
			ns, _ := ch.New.(*model.Namespace)
			c.applyNamespace(ch.Key().Name, ns)
			c.markNamespaceStale(ch.Key().Name, old, ns)
		case *model.Node:
			old, _ := ch.Old.(*model.Node)
			node, _ := ch.New.(*model.Node)
			c.applyNode(ch.Key().Name, old, node)
			c.markNodeStale(ch.Key().Name, old, node)
		case *model.Policy:
			later = append(later, ch)
		}
	}
	if c.staleWork.subnets {
		c.subnets = nodeSubnets(next)
	}
	// Policies come last: they are compiled once, against the families and
	// nodes that hold at the end of the step.
	all := c.decideFamilies()
	for _, ch := range later {
		p, _ := ch.New.(*model.Policy)
		if c.options.NoRows {
			p = nil
		}
		switch k := ch.Key(); {
		case k.Kind.IsAdmin():
			c.applyPolicy(k, p)
		case k.Kind == model.KindNP:
			c.applyNetpol(k, p)
		case k.Kind == model.KindEF:
			c.applyFirewall(k, p)
		}
	}
	if all {
		c.recompileAll()
	}
	c.compileStale(hadDefaults, hadMulticast)
	for k := range c.rec.policies {
		if compiled := c.policies[k]; compiled != nil {
			policies.Set(k.String(), compiled)
		} else {
			policies.Delete(k.String())
		}
	}
	c.commitStep(policies.Commit())
	delta := c.rec.buildDelta()
	delta.Everything = all
	c.rec, c.touched = nil, nil
	c.nsTxn, c.buckTxn = nil, nil
	return c.desired, delta
}

func (c *Compiler) commitStep(policies *sorted.Map[*CompiledUnit]) {
	c.space = podSpace{namespaces: c.nsTxn.Commit(), buckets: c.buckTxn.Commit()}
	next := &Desired{cluster: c.cluster, selectors: c.selectors, policies: policies, views: c.desired.views,
		options: c.options, space: c.space}
	if len(c.touched) > 0 {
		e := c.desired.views.editViews()
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

// applyPolicy replaces or removes (p nil) one ANP or BANP.
func (c *Compiler) applyPolicy(k model.PolicyKey, p *model.Policy) {
	if p != nil {
		c.putUnit(k, c.compilePolicy(p))
	} else {
		c.putUnit(k, nil)
	}
}

// putUnit replaces or removes (next nil) a unit.
func (c *Compiler) putUnit(k model.PolicyKey, next *CompiledUnit) {
	old := c.policies[k]
	if next == nil && old == nil {
		return
	}
	if next != nil {
		c.policies[k] = next
		c.linkUnit(next)
	} else {
		delete(c.policies, k)
	}
	if old != nil {
		c.unlinkUnit(old)
	}
	c.rec.notePolicy(k)
}
