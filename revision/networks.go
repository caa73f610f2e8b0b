package revision

import (
	"cmp"
	"fmt"
	"sync"

	"rung/compiler"
	"rung/model"
	"rung/model/network"
	"rung/model/words"
)

// DefaultNetwork is the name of the default network in questions and flags.
const DefaultNetwork = "default"

// networkViews caches the views of networks, by name: the first one of the same objects, and the last one.
type networkViews struct {
	mu    sync.Mutex
	first map[string]*Once[*Revision]
	last  map[string]*Revision
}

// ErrorNoNetwork returns the error for an unknown network name. It lists the known networks, or the network of
// a NetworkAttachmentDefinition with that name.
func ErrorNoNetwork(r *Revision, name string) error {
	t := WholeDesired(r).Networks()
	if n := t.NetworkOfNAD(name); n != nil {
		return fmt.Errorf("%s is a NetworkAttachmentDefinition: name its network, %s", name, n.Name)
	}
	if len(t.Names()) == 0 {
		return fmt.Errorf("unknown network %s: only the default network is known", name)
	}
	return fmt.Errorf("unknown network %s; known networks: %s", name, words.ListFew(t.Names(), 5))
}

// OnNetwork returns the view of a network other than the default: only its pods, with addresses and ports
// there, and its policies. It is nil for an unknown network. On a network's view it returns that view.
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
	first := o.Get(func() *Revision { return newNetworkView(r, n, d) })
	v.mu.Lock()
	defer v.mu.Unlock()
	if last := v.last[name]; last != nil && last.whole == r {
		return last
	}
	// The objects are equal; live rows, times and the rest may differ.
	f := r.Facts
	f.Cluster, f.Desired = first.Cluster, first.Desired
	out := New(f, first)
	out.Network, out.whole = n, r
	v.last[name] = out
	return out
}

// WholeDesired returns the desired rows of all networks.
func WholeDesired(r *Revision) *compiler.Desired {
	if r.changed != nil && !r.changed.sharesNoRows() {
		return r.changed.compiled()
	}
	return r.Desired
}

func newNetworkView(r *Revision, n *network.Network, d *compiler.Desired) *Revision {
	on, t := d.OnNetwork(n.Name), d.Networks()
	more := model.MapSeq(r.Cluster.Nodes(), func(node *model.Node) model.Object { return n.NodeOn(node) })
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
	f.Zones = nil // zones come from each revision; here they would be kept with the objects
	f.Cluster, _ = on.Cluster().Upsert(more, nil)
	f.Desired = on
	return New(f, nil)
}

// WholeRevision returns the revision on which OnNetwork was called; for any other revision, r itself.
func WholeRevision(r *Revision) *Revision {
	return cmp.Or(r.whole, r)
}
