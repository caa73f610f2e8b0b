package revision

import (
	"fmt"
	"sync"

	"rung/compiler"
	"rung/model"
	"rung/model/network"
	"rung/model/words"
)

// DefaultNetwork names the default network where a network is asked for by name.
const DefaultNetwork = "default"

// networkViews keeps the views of networks that somebody asked for: the first of the same objects, by
// name, and what was asked for last.
type networkViews struct {
	mu    sync.Mutex
	first map[string]*Once[*Revision]
	last  map[string]*Revision
}

// ErrorNoNetwork returns what to tell somebody who names a network that there is not. It names the networks
// there are, or the one whose NetworkAttachmentDefinition was named.
func ErrorNoNetwork(r *Revision, name string) error {
	t := WholeDesired(r).Networks()
	if n := t.OfNAD(name); n != nil {
		return fmt.Errorf("%s is a NetworkAttachmentDefinition: name its network, %s", name, n.Name)
	}
	if len(t.Names()) == 0 {
		return fmt.Errorf("there is no network %s: no network besides the default one is known", name)
	}
	return fmt.Errorf("there is no network %s; there are %s", name, words.ListFew(t.Names(), 5))
}

// OnNetwork is a revision as it stands on a network besides the default one: its pods with their
// addresses and ports there, the policies that are programmed there, and nothing else. It is nil for
// a network that there is not. Of a revision that is one already it is that one.
func OnNetwork(r *Revision, name string) *Revision {
	if r.Network != nil {
		return r
	}
	d := WholeDesired(r)
	n := d.Networks().Network(name)
	if n == nil || d.OnNetwork(name) == nil {
		return nil
	}
	v := SharedValue[networkViews](r)
	v.mu.Lock()
	if v.first == nil {
		v.first, v.last = map[string]*Once[*Revision]{}, map[string]*Revision{}
	}
	if v.first[name] == nil {
		v.first[name] = &Once[*Revision]{}
	}
	o := v.first[name]
	v.mu.Unlock()
	first := o.Get(func() *Revision { return viewOf(r, n, d) })
	v.mu.Lock()
	defer v.mu.Unlock()
	if last := v.last[name]; last != nil && last.whole == r {
		return last
	}
	// The objects are the same; live rows, times and all else may be others.
	f := r.Facts
	f.Cluster, f.Desired = first.Cluster, first.Desired
	out := New(f, first)
	out.Network, out.whole = n, r
	v.last[name] = out
	return out
}

// WholeDesired is the desired rows with all networks.
func WholeDesired(r *Revision) *compiler.Desired {
	if r.changed != nil && !r.changed.sharesNoRows() {
		return r.changed.compiled()
	}
	return r.Desired
}

func viewOf(r *Revision, n *network.Network, d *compiler.Desired) *Revision {
	on, t := d.OnNetwork(n.Name), d.Networks()
	var more []model.Object
	for node := range r.Cluster.Nodes() {
		more = append(more, n.NodeOn(node))
	}
	for s := range r.Cluster.Services() {
		if t.Serves(n, s.Namespace) {
			more = append(more, s)
		}
	}
	for e := range r.Cluster.EndpointSlices() {
		if t.Serves(n, e.Namespace) {
			more = append(more, e)
		}
	}
	for p := range r.Cluster.Policies(model.KindEF) {
		if t.Serves(n, p.Namespace) {
			more = append(more, p)
		}
	}
	f := r.Facts
	f.Zones = nil // they are the revision's that is asked, and would be kept with what follows from objects
	f.Cluster, _ = on.Cluster().Upsert(more, nil)
	f.Desired = on
	return New(f, nil)
}

// WholeRevision is the revision that one of OnNetwork shows a part of; of others it is itself.
func WholeRevision(r *Revision) *Revision {
	if r.whole != nil {
		return r.whole
	}
	return r
}
