package revision

import (
	"fmt"
	"sync"

	"rung/compiler"
	"rung/model"
	"rung/model/network"
	"rung/model/verdict"
)

// DefaultNetwork names the default network where a network is asked for by name.
const DefaultNetwork = "default"

// networkViews keeps the views of networks that somebody asked for.
type networkViews struct {
	mu   sync.Mutex
	byID map[string]*Once[*Revision]
}

// OnNetwork is the revision as it stands on a network besides the default one: its pods with their
// addresses and ports there, the policies that are programmed there, and nothing else. It is nil for
// a network that there is not. Of a revision that is one already it is that one.
func (r *Revision) OnNetwork(name string) *Revision {
	if r.Network != nil {
		return r
	}
	d := r.wholeDesired()
	n := d.Networks().Network(name)
	if n == nil || d.OnNetwork(name) == nil {
		return nil
	}
	v := SharedValue[networkViews](r)
	v.mu.Lock()
	if v.byID == nil {
		v.byID = map[string]*Once[*Revision]{}
	}
	if v.byID[name] == nil {
		v.byID[name] = &Once[*Revision]{}
	}
	o := v.byID[name]
	v.mu.Unlock()
	return o.Get(func() *Revision { return r.viewOf(n, d) })
}

// wholeDesired is the desired rows with all networks.
func (r *Revision) wholeDesired() *compiler.Desired {
	if r.changed != nil && !r.changed.sharesNoRows() {
		return r.changed.compiled()
	}
	return r.Desired
}

func (r *Revision) viewOf(n *network.Network, d *compiler.Desired) *Revision {
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
	f.Cluster, _ = on.Cluster().Upsert(more, nil)
	f.Desired = on
	out := New(f, nil)
	out.Network, out.whole = n, r
	return out
}

// WholeRevision is the revision that one of OnNetwork shows a part of; of others it is itself.
func (r *Revision) WholeRevision() *Revision {
	if r.whole != nil {
		return r.whole
	}
	return r
}

// PrimaryNetworkOf is the name of the network that a pod's connections go over, empty for the
// default one. A network that no object is about is named as the pod's annotation has it, and known
// is false.
func (r *Revision) PrimaryNetworkOf(p *model.Pod) (name string, known bool) {
	key := p.PrimaryUDN()
	if key == "" {
		return "", true
	}
	if n := r.Desired.Networks().OfKey(key); n != nil {
		return n.Name, true
	}
	return key, false
}

// ForConnection is the revision by which a connection is judged: as it stands on the network that both
// ends are on, or on the one that the question names. Apart says, where the ends are on networks that
// do not reach each other, so; then no policy is asked.
func (r *Revision) ForConnection(c verdict.Connection) (on *Revision, apart string, err error) {
	t := r.wholeDesired().Networks()
	switch {
	case r.Network != nil || c.Network == "" && len(t.Names()) == 0:
		return r, "", nil
	case c.Network == DefaultNetwork:
		return r, "", nil
	case c.Network != "":
		if on = r.OnNetwork(c.Network); on == nil {
			return nil, "", fmt.Errorf("%w: there is no network %s", verdict.ErrQuestion, c.Network)
		}
		return on, "", nil
	}
	from, to := r.placeOf(t, c.From), r.placeOf(t, c.To)
	switch {
	case from.unknown || to.unknown:
		return r, "", nil
	case from.name == to.name && from.name == "":
		return r, "", nil
	case from.anywhere && to.name != "":
		return r.OnNetwork(to.name), "", nil
	case to.anywhere && from.name != "", from.name == to.name:
		return r.OnNetwork(from.name), "", nil
	}
	return r, r.apartText(c, from, to), nil
}

// placeOfEnd is the network that an end of a connection is on: its name, empty for the default one.
type placeOfEnd struct {
	name string
	// anywhere says that the end is no pod: it is reached from any network, or from none.
	anywhere bool
	// unknown says that nothing is read of the network.
	unknown bool
}

func (r *Revision) placeOf(t *network.Table, e verdict.Endpoint) placeOfEnd {
	pod := (*model.Pod)(nil)
	switch e.Key.Kind {
	case model.KindPod:
		pod = r.JudgedCluster().Pod(e.Key.Namespace, e.Key.Name)
	case model.KindService:
		if at, n := t.Place(e.Key.Namespace); at == network.OnPrimary {
			return placeOfEnd{name: n.Name}
		}
		return placeOfEnd{}
	case "":
		for _, o := range r.AddressOwners(e.Addr.String()) {
			if o.Key.Kind == model.KindPod && o.Note == "" {
				pod = r.Cluster.Pod(o.Key.Namespace, o.Key.Name)
				break
			}
		}
	}
	if pod == nil || pod.HostNetwork {
		return placeOfEnd{anywhere: true}
	}
	name, known := r.PrimaryNetworkOf(pod)
	if e.Key.Kind == "" && name != "" { // an address of the default network of such a pod
		return placeOfEnd{}
	}
	return placeOfEnd{name: name, unknown: !known}
}

// apartText says why two ends do not reach each other.
func (r *Revision) apartText(c verdict.Connection, from, to placeOfEnd) string {
	place := func(p placeOfEnd) string {
		if p.name == "" {
			return "the default network"
		}
		return "the user-defined network " + p.name
	}
	text := fmt.Sprintf("%s is on %s and %s on %s, and these do not reach each other", c.From, place(from), c.To, place(to))
	switch {
	case from.name == "":
		text += ": the port of " + c.To.String() + " on the default network is isolated by tier 0 (DenyPrimaryUDN)"
	case to.name == "":
		text += ": the network has no way into the default one"
	default:
		text += " unless a ClusterNetworkConnect connects them or both are advertised"
	}
	return text
}
