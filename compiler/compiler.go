package compiler

import (
	"cmp"
	"net/netip"

	"rung/model"
	"rung/model/network"
	"rung/model/ovn/dialect"
	"rung/model/sorted"
)

// networkCompiler compiles one network step by step: from the cluster's objects, or those its Table projects.
type networkCompiler struct {
	requested, options Options
	cluster            *model.Cluster
	network            *network.Network // nil for the default network
	table              *network.Table

	membership // the pods of each group and set
	compactAt  int

	policies map[model.PolicyKey]*CompiledUnit // all units by key, policies and others

	// Objects that tier-2 units depend on: NetworkPolicies by namespace and name, EgressFirewalls, namespaces
	// that allow multicast, and shared units with the policies that use them.
	netpols     map[string]map[string]*model.Policy
	firewalls   map[model.PolicyKey]*model.Policy
	multicast   map[string]struct{}
	subnets     []netip.Prefix // pod subnets of the nodes
	sharing     map[model.PolicyKey]*sharedUnit
	sharedNeeds map[model.PolicyKey][]model.PolicyKey

	desired   *Desired
	staleWork staleWork // of the current step
}

// newNetworkCompiler returns an empty compiler for a network; nil means the default network.
func newNetworkCompiler(o Options, n *network.Network) *networkCompiler {
	c := &networkCompiler{
		requested: o, options: o, network: n, compactAt: compactFirst, membership: newMembership(), policies: map[model.PolicyKey]*CompiledUnit{},
		netpols: map[string]map[string]*model.Policy{}, firewalls: map[model.PolicyKey]*model.Policy{},
		multicast: map[string]struct{}{}, sharing: map[model.PolicyKey]*sharedUnit{},
		sharedNeeds: map[model.PolicyKey][]model.PolicyKey{},
	}
	c.decideFamilies()
	c.desired = &Desired{selectors: c.selectors, options: c.options, space: c.space, name: string(c.name())}
	return c
}

// name returns the network's name, or empty for the default network.
func (c *networkCompiler) name() networkName {
	if c.network == nil {
		return ""
	}
	return networkName(c.network.Name)
}

type networkName string

// netpolKey returns the key of a NetworkPolicy's unit. A MultiNetworkPolicy has the same key.
func (n networkName) netpolKey(namespace, name string) model.PolicyKey {
	return n.policyKey(model.KindNP, namespace, name)
}

// isolationKey returns the key of a namespace's default-deny unit.
func (n networkName) isolationKey(namespace string, dir model.Direction) model.PolicyKey {
	return n.policyKey(model.KindNetpolNamespace, namespace, string(dir))
}

func (n networkName) policyKey(kind model.Kind, namespace, name string) model.PolicyKey {
	return model.PolicyKey{Kind: kind, Namespace: namespace, Name: name, Network: string(n)}
}

// decideFamilies sets the address families, the pod subnets and the hairpin addresses to compile for. It
// reports whether all rows have to be compiled again.
func (c *networkCompiler) decideFamilies() bool {
	o := c.requested
	if c.network != nil {
		c.options = o
		return false
	}
	o.addConfig(dialect.ClusterSettings(c.cluster))
	if !o.IPv4 && !o.IPv6 {
		o.IPv6 = c.v6 > 0
		o.IPv4 = c.v4 > 0 || !o.IPv6
	}
	if o.PodFamilies {
		o.IPv4, o.IPv6 = o.IPv4 || c.v4 > 0, o.IPv6 || c.v6 > 0
	}
	o.NodeSubnets = o.NodeSubnets || len(o.ClusterSubnets) == 0
	if o.NodeSubnets {
		o.ClusterSubnets = c.subnets
	}
	o.hairpin4, o.hairpin6 = o.IPv4, o.IPv6
	c.decideHost(&o)
	if c.table.HasPrimary() {
		o.HairpinAssumed = o.IPv4 && o.HairpinFrom4 == "" || o.IPv6 && o.HairpinFrom6 == ""
		o.HairpinFrom4, o.HairpinFrom6 = cmp.Or(o.HairpinFrom4, PrimaryHairpin4), cmp.Or(o.HairpinFrom6, PrimaryHairpin6)
	}
	news := o.IPv4 != c.options.IPv4 || o.IPv6 != c.options.IPv6 ||
		o.HairpinFrom4 != c.options.HairpinFrom4 || o.HairpinFrom6 != c.options.HairpinFrom6 ||
		o.HostNetworkNamespace != c.options.HostNetworkNamespace || o.fromConfig != c.options.fromConfig
	c.options = o
	return news
}

// apply compiles the next cluster after changes in order. It returns its rows and their difference.
func (c *networkCompiler) apply(next *model.Cluster, changes []model.Change) (*Desired, *Delta) {
	if c.isWasteful() {
		return c.recompile(next)
	}
	first := c.cluster == nil
	hadDefaults, hadMulticast := !first && c.areDefaultsOn(), !first && c.isMulticastOn()
	c.cluster = next
	c.beginStep()
	c.staleWork = staleWork{isolation: map[string]struct{}{}, logging: map[string]struct{}{}, multicast: map[string]struct{}{},
		nodes: map[string]struct{}{}}
	policies := c.desired.policies.Txn()
	var later []model.Change
	for _, ch := range changes {
		switch cmp.Or(ch.New, ch.Old).(type) {
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
	// Policies come last, so that each is compiled once, with the families and nodes at the end of the step.
	all := c.decideFamilies()
	if all && !first {
		return c.recompile(next)
	}
	for _, ch := range later {
		p, _ := ch.New.(*model.Policy)
		if c.options.NoRows {
			p = nil
		}
		switch k := ch.Key(); {
		case k.Kind.IsAdmin():
			var unit *CompiledUnit
			if p != nil {
				unit = c.compilePolicy(p)
			}
			c.putUnit(k, unit)
		case k.Kind == model.KindNP:
			if at, _ := c.table.Place(k.Namespace); c.network == nil && at == network.OnPrimary {
				p = nil // its rows belong to the primary network
			}
			c.applyNetpol(c.name().netpolKey(k.Namespace, k.Name), p)
		case k.Kind == model.KindMNP && c.network != nil:
			if c.requested.MultiPolicies == Off {
				p = nil
			}
			c.applyNetpol(c.name().netpolKey(k.Namespace, k.Name), p)
		case k.Kind == model.KindMNP:
			c.applyMultiPolicy(k, p)
		case k.Kind == model.KindEF:
			c.applyFirewall(k, p)
		}
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

func (c *networkCompiler) commitStep(policies *sorted.Map[*CompiledUnit]) {
	c.space = podSpace{namespaces: c.nsTxn.Commit(), buckets: c.buckTxn.Commit()}
	next := &Desired{cluster: c.cluster, selectors: c.selectors, policies: policies, views: c.desired.views,
		options: c.options, space: c.space, name: string(c.name())}
	if len(c.touched) > 0 {
		next.views = make(groupViews, c.nextID)
		copy(next.views, c.desired.views)
		// Removed groups first: a new group may have their id already.
		for g := range c.touched {
			if g.refs == 0 {
				next.views[g.id] = nil
			}
		}
		for g := range c.touched {
			if g.refs > 0 {
				next.views[g.id] = &groupView{group: g}
			}
		}
	}
	c.desired = next
}

// putUnit replaces a unit, or removes it if next is nil.
func (c *networkCompiler) putUnit(k model.PolicyKey, next *CompiledUnit) {
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
