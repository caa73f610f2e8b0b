package compiler

import (
	"cmp"
	"slices"

	"rung/model"
	"rung/model/selectors"
)

// staleWork lists what to compile again at the end of a step.
type staleWork struct {
	isolation map[string]struct{} // namespaces whose NetworkPolicies changed
	logging   map[string]struct{} // namespaces with changed log levels
	multicast map[string]struct{} // namespaces that started or stopped allowing multicast
	nodes     map[string]struct{} // nodes with changed management addresses
	// firewalls: nodes were added or removed, or their addresses or labels changed. hosts: the addresses
	// behind the host network changed.
	firewalls, hosts bool
	// subnets: the nodes' pod subnets changed.
	subnets bool
}

// markNamespaceStale marks the rows that depend on a namespace, such as its annotations.
func (c *networkCompiler) markNamespaceStale(name string, old, ns *model.Namespace) {
	was, is := cmp.Or(old, &model.Namespace{}), cmp.Or(ns, &model.Namespace{})
	if was.Annotations[model.AnnotationLogging] != is.Annotations[model.AnnotationLogging] {
		c.staleWork.logging[name] = struct{}{}
	}
	if allowsMulticast(ns) != allowsMulticast(old) {
		c.staleWork.multicast[name] = struct{}{}
		if allowsMulticast(ns) {
			c.multicast[name] = struct{}{}
		} else {
			delete(c.multicast, name)
		}
	}
	if name == c.hostNamespace() {
		c.staleWork.hosts = true
	}
}

// markNodeStale marks the rows that depend on a node.
func (c *networkCompiler) markNodeStale(name string, old, node *model.Node) {
	was, is := cmp.Or(old, &model.Node{}), cmp.Or(node, &model.Node{})
	mgmt := !slices.Equal(was.MgmtIPs, is.MgmtIPs)
	if mgmt {
		c.staleWork.nodes[name] = struct{}{}
	}
	c.staleWork.subnets = c.staleWork.subnets || !slices.Equal(was.Subnets, is.Subnets)
	if mgmt || !slices.Equal(was.GatewayIPs, is.GatewayIPs) {
		c.staleWork.hosts = true
	}
	if old == nil || node == nil || old.Labels.Key() != node.Labels.Key() || !slices.Equal(was.HostIPs, is.HostIPs) {
		c.staleWork.firewalls = true
	}
	if was.HostErr != "" || is.HostErr != "" {
		for k, p := range c.policies { // the nodes' annotations decide whether these policies have rows
			if k.Kind.IsAdmin() && hasNodePeers(p.Policy) {
				c.putUnit(k, c.compilePolicy(p.Policy))
			}
		}
	}
}

// compileStale compiles stale rows. hadDefaults and hadMulticast are the switches before the step.
func (c *networkCompiler) compileStale(hadDefaults, hadMulticast bool) {
	for ns := range c.staleWork.logging {
		for name, p := range c.netpols[ns] {
			c.applyNetpol(c.name().netpolKey(ns, name), p)
		}
		for k, p := range c.firewalls {
			if k.Namespace == ns {
				c.applyFirewall(k, p)
			}
		}
	}
	for ns := range c.staleWork.isolation {
		c.rebuildIsolation(ns)
	}
	switch {
	case c.staleWork.subnets && c.options.NodeSubnets:
		for k, p := range c.firewalls {
			c.applyFirewall(k, p)
		}
	case c.staleWork.firewalls:
		for k, p := range c.firewalls {
			if hasNodePeers(p) {
				c.applyFirewall(k, p)
			}
		}
	}
	if c.staleWork.hosts { // sets that hold nodes' own addresses, or may from now on
		for k, u := range c.sharing {
			if u.set.legacy && u.set.pods.MatchesEverything() {
				c.putUnit(k, c.compileShared(u.set))
			}
		}
	}
	c.refreshFrozen()
	c.refreshDefaults(hadDefaults)
	c.refreshMulticast(hadMulticast)
}

func (c *networkCompiler) refreshDefaults(had bool) {
	if c.areDefaultsOn() != had {
		c.refreshHairpin()
		for n := range c.cluster.Nodes() {
			c.staleWork.nodes[n.Name] = struct{}{}
		}
		c.refreshSharedSwitch()
	}
	for n := range c.staleWork.nodes {
		c.compileNodeRows(n)
	}
}

func (c *networkCompiler) refreshMulticast(had bool) {
	if c.isMulticastOn() != had {
		c.compileMulticastCluster()
		for ns := range c.multicast {
			c.staleWork.multicast[ns] = struct{}{}
		}
	}
	for ns := range c.staleWork.multicast {
		c.compileMulticastNS(ns)
	}
}

// compactFirst is the number of interned selectors at which isWasteful first counts those in use.
const compactFirst = 4096

// isWasteful reports whether policies use less than half of the interned selectors. Selector ids cannot be
// reused, since older revisions' label classes refer to them.
func (c *networkCompiler) isWasteful() bool {
	n := c.selectors.SelectorCount()
	if n < c.compactAt {
		return false
	}
	live := map[*selectors.Selector]struct{}{}
	for _, g := range c.groups {
		live[g.ns], live[g.pods] = struct{}{}, struct{}{}
	}
	for s := range c.nodeSets {
		for _, sel := range s.nodes {
			live[sel] = struct{}{}
		}
	}
	c.compactAt = max(compactFirst, 2*n)
	return len(live) < n/2
}

// recompile compiles the cluster from scratch. Older revisions keep the old tables.
func (c *networkCompiler) recompile(next *model.Cluster) (*Desired, *Delta) {
	fresh := newNetworkCompiler(c.requested, c.network)
	fresh.table = c.table
	d, delta := fresh.apply(next, changesOfAll(next))
	for k := range c.policies {
		delta.Policies[k] = struct{}{} // also units removed in this step
	}
	delta.Everything = true
	*c = *fresh
	return d, delta
}

func changesOfAll(cluster *model.Cluster) []model.Change {
	var changes []model.Change
	for o := range cluster.Objects() {
		changes = append(changes, model.Change{New: o})
	}
	return changes
}
