package compiler

import (
	"maps"
	"reflect"
	"slices"

	"rung/model"
	"rung/model/network"
)

// Compiler compiles a cluster step by step, each network by itself (docs/networks.md). It belongs to one
// goroutine; any goroutine may read its results.
type Compiler struct {
	base     *networkCompiler
	networks map[string]*networkCompiler // by name, without the default network
	table    *network.Table
	known    map[string]struct{} // names of all networks so far
	desired  *Desired
}

// New returns an empty compiler.
func New(o Options) *Compiler {
	c := &Compiler{base: newNetworkCompiler(o, nil), networks: map[string]*networkCompiler{}}
	c.desired = c.base.desired
	return c
}

// Compile compiles a whole cluster at once.
func Compile(cluster *model.Cluster, o Options) *Desired {
	d, _ := New(o).Apply(cluster, changesOfAll(cluster))
	return d
}

// Apply compiles the next cluster after changes in order. It returns its rows and their difference.
func (c *Compiler) Apply(next *model.Cluster, changes []model.Change) (*Desired, *Delta) {
	moved := c.refreshTable(next, changes)
	_, delta := c.base.apply(next, c.withMovedPolicies(next, changes, moved))
	if len(c.networks) > 0 || len(c.table.Names()) > 0 {
		c.stepNetworks(next, changes, moved, delta)
	}
	return c.publish(), delta
}

// Reconfigure compiles everything again with other options. It returns the rows, and a Delta that names
// everything. If the effective options stay the same, nothing changes and the Delta is empty.
func (c *Compiler) Reconfigure(o Options) (*Desired, *Delta) {
	was, cluster := c.base, c.base.cluster
	fresh := New(o)
	fresh.known = c.known
	d, delta := fresh.Apply(cluster, changesOfAll(cluster))
	if o.Segmentation == was.requested.Segmentation && reflect.DeepEqual(was.options, fresh.base.options) {
		was.requested = o
		return c.desired, &Delta{}
	}
	for u := range c.desired.Policies() {
		delta.Policies[u.Key] = struct{}{}
	}
	delta.Everything = true
	*c = *fresh
	return d, delta
}

// publish returns the desired rows of all networks.
func (c *Compiler) publish() *Desired {
	d := c.base.desired
	if len(c.networks) > 0 || c.table != nil || len(c.known) > 0 {
		d = new(*d)
		d.table, d.known, d.networks = c.table, c.known, make(map[string]*Desired, len(c.networks))
		for name, n := range c.networks {
			d.networks[name] = n.desired
		}
	}
	c.desired = d
	return d
}

// refreshTable reads the networks again if a change concerns them. It returns the moved namespaces.
func (c *Compiler) refreshTable(next *model.Cluster, changes []model.Change) map[string]bool {
	if c.base.requested.Segmentation == Off || !slices.ContainsFunc(changes, c.concernsNetworks) {
		return nil
	}
	before := c.table
	c.table = network.NewTable(next)
	c.base.table = c.table
	for _, name := range c.table.Names() {
		if _, has := c.known[name]; !has {
			known := map[string]struct{}{name: {}}
			maps.Copy(known, c.known)
			c.known = known
		}
	}
	moved := map[string]bool{}
	for _, t := range []*network.Table{before, c.table} {
		for ns := range t.Namespaces() {
			wasPlace, was := before.Place(ns)
			isPlace, is := c.table.Place(ns)
			if wasPlace != isPlace || !network.SameNetwork(was, is) {
				moved[ns] = true
			}
		}
	}
	return moved
}

// concernsNetworks reports whether a change may affect the networks or the namespaces on them.
func (c *Compiler) concernsNetworks(ch model.Change) bool {
	for _, o := range []model.Object{ch.Old, ch.New} {
		if o != nil && network.IsSource(o) {
			return true
		}
	}
	old, _ := ch.Old.(*model.Namespace)
	ns, _ := ch.New.(*model.Namespace)
	switch {
	case old == nil && ns == nil:
		return false
	case c.table != nil: // a ClusterUserDefinedNetwork selects by labels
		return old == nil || ns == nil || old.Labels.Key() != ns.Labels.Key()
	}
	return old != nil && old.GivesNetwork() || ns != nil && ns.GivesNetwork()
}

// withMovedPolicies adds the policies that are programmed elsewhere, or differently, because networks changed.
func (c *Compiler) withMovedPolicies(next *model.Cluster, changes []model.Change, moved map[string]bool) []model.Change {
	if len(moved) == 0 && c.table == nil {
		return changes
	}
	out := slices.Clone(changes)
	for p := range next.Policies(model.KindNP, model.KindEF) {
		if moved[p.Namespace] {
			out = append(out, model.Change{Old: p, New: p})
		}
	}
	if moved != nil { // their target networks may have changed
		for p := range next.Policies(model.KindMNP) {
			out = append(out, model.Change{Old: p, New: p})
		}
	}
	return out
}

// stepNetworks applies a step to all networks except the default one, and adds their differences to delta.
func (c *Compiler) stepNetworks(next *model.Cluster, changes []model.Change, moved map[string]bool, delta *Delta) {
	for name, n := range c.networks {
		if c.table.Network(name) == nil {
			n.notePolicies(delta)
			delete(c.networks, name)
		}
	}
	anew := map[string]*networkCompiler{} // with its old compiler, or nil
	for _, name := range c.table.Names() {
		is, had := c.table.Network(name), c.networks[name]
		if had == nil || !network.SameNetwork(had.network, is) || !reflect.DeepEqual(had.requested, c.networkOptions(is)) ||
			slices.ContainsFunc(is.Namespaces(), func(ns string) bool { return moved[ns] }) {
			anew[name] = had
		} else {
			had.table = c.table
		}
	}
	if len(anew) < len(c.table.Names()) {
		for name, step := range c.stepsOfNetworks(next, changes) {
			if _, is := anew[name]; !is {
				n := c.networks[name]
				cluster, changes := n.cluster.Upsert(step.put, step.remove)
				_, d := n.apply(cluster, changes)
				delta.add(d)
			}
		}
	}
	c.startNetworks(next, anew, delta)
}

// networkStep holds the changes of one step on one network.
type networkStep struct {
	put    []model.Object
	remove []model.Key
}

// stepsOfNetworks returns the changes as projected on each network.
func (c *Compiler) stepsOfNetworks(next *model.Cluster, changes []model.Change) map[string]*networkStep {
	steps := map[string]*networkStep{}
	stepOf := func(n *network.Network) *networkStep {
		if steps[n.Name] == nil {
			steps[n.Name] = &networkStep{}
		}
		return steps[n.Name]
	}
	last := map[model.Key]bool{} // keys whose current state was taken
	for _, ch := range changes {
		k := ch.Key()
		on := map[*network.Network]bool{}
		if is := next.Get(k); is != nil && !last[k] {
			for n, o := range c.table.Project(is) {
				on[n] = true
				stepOf(n).put = append(stepOf(n).put, o)
			}
			last[k] = true
		} else if is != nil {
			for n := range c.table.Project(is) {
				on[n] = true
			}
		}
		if ch.Old == nil {
			continue
		}
		for n := range c.table.Project(ch.Old) {
			if !on[n] {
				stepOf(n).remove = append(stepOf(n).remove, k)
			}
		}
	}
	return steps
}

func (c *Compiler) startNetworks(next *model.Cluster, anew map[string]*networkCompiler, delta *Delta) {
	if len(anew) == 0 {
		return
	}
	objects := make(map[string][]model.Object, len(anew))
	for o := range next.Objects() {
		for n, o := range c.table.Project(o) {
			if _, is := anew[n.Name]; is {
				objects[n.Name] = append(objects[n.Name], o)
			}
		}
	}
	for name, had := range anew {
		n := c.table.Network(name)
		fresh := newNetworkCompiler(c.networkOptions(n), n)
		fresh.table = c.table
		cluster, changes := (*model.Cluster)(nil).Upsert(objects[name], nil)
		_, d := fresh.apply(cluster, changes)
		delta.add(d)
		if had != nil {
			had.notePolicies(delta)
		}
		c.networks[name] = fresh
	}
}

// networkOptions returns the options for a network's rows (networks.md#networkpolicy).
func (c *Compiler) networkOptions(n *network.Network) Options {
	o := c.base.options
	o.IPv4, o.IPv6 = n.IPv4, n.IPv6
	o.Observability, o.ClusterSubnets, o.NodeSubnets, o.DNS = false, nil, false, nil
	o.Defaults, o.Multicast = Off, Off
	if n.Primary {
		o.Defaults = On
		if c.base.isMulticastOn() {
			o.Multicast = On
		}
	}
	return o
}

// notePolicies adds all units to the delta, since they are gone or rebuilt.
func (c *networkCompiler) notePolicies(delta *Delta) {
	for k := range c.policies {
		delta.Policies[k] = struct{}{}
	}
}

// add adds the differences of another network.
func (d *Delta) add(o *Delta) {
	d.Everything = d.Everything || o.Everything
	maps.Copy(d.Policies, o.Policies)
	d.Members = append(d.Members, o.Members...)
	d.Ports = append(d.Ports, o.Ports...)
}

// onNetwork returns the rows of one network, empty if the network is unknown.
func (d *Desired) onNetwork(name string) *Desired {
	if d.name == name {
		return d
	}
	if on := d.networks[name]; on != nil {
		return on
	}
	return &Desired{name: name}
}

// OnNetwork returns the rows of one network alone, with its projected cluster; nil if the network is unknown.
func (d *Desired) OnNetwork(name string) *Desired {
	if d == nil {
		return nil
	}
	return d.networks[name]
}

// Networks returns all networks except the default network.
func (d *Desired) Networks() *network.Table {
	if d == nil {
		return nil
	}
	return d.table
}

// ProgramsMulti reports whether MultiNetworkPolicies have rows at all.
func (d *Desired) ProgramsMulti() bool { return d.Options().MultiPolicies != Off }

// KnowsNetwork reports whether a network of that name exists, or did since the compiler started. Rows of
// unknown networks belong to others.
func (d *Desired) KnowsNetwork(name string) bool {
	if name == "" || d == nil {
		return name == ""
	}
	_, ever := d.known[name]
	return ever
}

// otherNetworkUnits returns the keys of a policy's units on other networks.
func (d *Desired) otherNetworkUnits(k model.PolicyKey) []model.PolicyKey {
	switch k.Kind {
	case model.KindNP:
		if at, n := d.table.Place(k.Namespace); at == network.OnPrimary {
			k.Network = n.Name
			return []model.PolicyKey{k}
		}
	case model.KindMNP:
		p := d.cluster.Policy(k)
		if p == nil {
			return nil
		}
		var out []model.PolicyKey
		for _, n := range d.table.SecondaryTargets(p) {
			out = append(out, model.PolicyKey{Kind: model.KindNP, Namespace: k.Namespace, Name: k.Name, Network: n.Name})
		}
		return out
	}
	return nil
}

// UnitKeys returns the keys of a policy's units: one for each non-default network that programs the policy. Without
// such a network it returns the policy's own key.
func (d *Desired) UnitKeys(k model.PolicyKey) []model.PolicyKey {
	if d == nil || k.Network != "" || len(d.networks) == 0 {
		return []model.PolicyKey{k}
	}
	if keys := d.otherNetworkUnits(k); len(keys) > 0 {
		return keys
	}
	return []model.PolicyKey{k}
}
