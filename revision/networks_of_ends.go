package revision

import (
	"fmt"
	"slices"

	"rung/model"
	"rung/model/network"
	"rung/model/verdict"
)

// PrimaryNetwork returns the name of a pod's primary network, or empty for the default network. If no object
// describes the network, name comes from the pod's annotation and known is false.
func PrimaryNetwork(r *Revision, p *model.Pod) (name string, known bool) {
	key := p.PrimaryUDN()
	if key == "" {
		return "", true
	}
	if n := r.Desired.Networks().NetworkOfKey(key); n != nil {
		return n.Name, true
	}
	return key, false
}

// ForConnection returns the revision that judges a connection: the view of the network of both ends, or of the
// network that the question names. Apart is the answer if the ends are on different networks: no policy is
// asked then.
func ForConnection(r *Revision, c verdict.Connection) (on *Revision, apart *CrossNetworkAnswer, err error) {
	t := WholeDesired(r).Networks()
	switch {
	case r.Network != nil || c.Network == "" && len(t.Names()) == 0:
		return r, nil, nil
	case c.Network == DefaultNetwork:
		return r, nil, nil
	case c.Network != "":
		on = OnNetwork(r, c.Network)
		if on == nil {
			return nil, nil, fmt.Errorf("%w: %w", verdict.ErrQuestion, ErrorNoNetwork(r, c.Network))
		}
		for _, e := range []verdict.Endpoint{c.From, c.To} {
			if k := e.Key; k.Kind == model.KindPod && on.Cluster.Pod(k.Namespace, k.Name) == nil && r.Cluster.Pod(k.Namespace, k.Name) != nil {
				return nil, nil, fmt.Errorf("%w: pod %s/%s is not on the network %s", verdict.ErrQuestion, k.Namespace, k.Name, c.Network)
			}
		}
		return on, nil, nil
	}
	from, to := networkOfEnd(r, t, c.From), networkOfEnd(r, t, c.To)
	from.connect(r, t, c.From, to.name)
	to.connect(r, t, c.To, from.name)
	switch {
	case from.unknown || to.unknown:
		return r, nil, nil
	case to.isolated != nil && (from.name == "" && from.isolated == nil && isOpen(to.isolated, c) || isOwnNode(r, c.From, to.isolated)):
		return r, nil, nil
	case from.isolated != nil || to.isolated != nil:
		return r, &CrossNetworkAnswer{verdict.Deny, isolatedText(c, from, to)}, nil
	case to.balancedOn != nil && from.name != to.balancedOn.Name && !from.anywhere:
		if connectedBy(r, t, from.name, to.balancedOn.Name) == "" {
			return r, &CrossNetworkAnswer{verdict.Deny, fmt.Sprintf(
				"%s is the address of a Service on the user-defined network %s, unreachable from %s", c.To, to.balancedOn.Name, from.text())}, nil
		}
		to.name = to.balancedOn.Name
	case to.balancedOn != nil:
		return OnNetwork(r, to.balancedOn.Name), nil, nil
	}
	switch {
	case from.name == to.name && from.name == "":
		return r, nil, nil
	case from.anywhere && to.name != "":
		return OnNetwork(r, to.name), nil, nil
	case from.name == "" && leavesOpen(r, c):
		return r, nil, nil // tier 0 allows it before any policy of the pod is asked
	case to.anywhere && from.name != "", from.name == to.name:
		return OnNetwork(r, from.name), nil, nil
	}
	if by := connectedBy(r, t, from.name, to.name); by != "" {
		return r, &CrossNetworkAnswer{verdict.Unknown, fmt.Sprintf("%s is on the user-defined network %s and %s on %s, "+
			"which ClusterNetworkConnect %s connects: each network's policies apply at its own end, and Rung does not combine them; "+
			"ask on each network, with the address of the other end", c.From, from.name, c.To, to.name, by)}, nil
	}
	return r, &CrossNetworkAnswer{verdict.Deny, separateNetworksText(c, from, to)}, nil
}

// CrossNetworkAnswer is the answer about ends on different networks: no policy is asked.
type CrossNetworkAnswer struct {
	Verdict verdict.Verdict
	Reason  string
}

// connectedBy returns the name of a ClusterNetworkConnect that connects the pods of two networks, or may
// because their ids are unknown; empty if none does.
func connectedBy(r *Revision, t *network.Table, a, b string) string {
	if a == "" || b == "" {
		return ""
	}
	for c := range model.ObjectsOfKind[*network.Connect](r.Cluster, model.KindCNC) {
		x, y := t.Network(a).ID, t.Network(b).ID
		if c.Pods && (x == "" || slices.Contains(c.IDs, x)) && (y == "" || slices.Contains(c.IDs, y)) {
			return c.Name
		}
	}
	return ""
}

// leavesOpen reports whether a connection goes to a port that a pod on a primary network opens on the default
// network (networks.md#tier-0).
func leavesOpen(r *Revision, c verdict.Connection) bool {
	if c.To.Key.Kind != model.KindPod {
		return false
	}
	pod := r.JudgedCluster().Pod(c.To.Key.Namespace, c.To.Key.Name)
	return pod != nil && isOpen(pod, c)
}

func isOpen(pod *model.Pod, c verdict.Connection) bool {
	return pod.LeavesOpen(string(c.Protocol), c.Port)
}

// isOwnNode reports whether an end is the pod's own node, which tier 0 allows.
func isOwnNode(r *Revision, e verdict.Endpoint, pod *model.Pod) bool {
	if e.Key.Kind == model.KindNode {
		return e.Key.Name == pod.NodeName
	}
	return e.Key.Kind == "" && r.Verdicts().IsOwnNode(e.Addr, pod.NodeName)
}

// endNetwork is the network of one end of a connection, with an empty name for the default one.
type endNetwork struct {
	name string
	// anywhere marks an end without a pod: reachable from any network, or from none.
	anywhere bool
	// unknown means that the network was not read.
	unknown bool
	// isolated is the pod with a primary network if the end is its address on the default network; else nil.
	isolated *model.Pod
	// balancedOn is the primary network of the Service if the end is its address; else nil.
	balancedOn *network.Network
}

// text returns the network's name for a sentence.
func (p endNetwork) text() string {
	if p.name == "" {
		return "the default network"
	}
	return "the user-defined network " + p.name
}

// connect puts an address without a pod on its network if a ClusterNetworkConnect connects that network to the
// other end's.
func (p *endNetwork) connect(r *Revision, t *network.Table, e verdict.Endpoint, other string) {
	if !p.anywhere || other == "" || e.Key.Kind != "" || t.Network(other).Has(e.Addr) {
		return
	}
	for _, name := range t.Names() {
		if t.Network(name).Has(e.Addr) && connectedBy(r, t, other, name) != "" {
			p.name, p.anywhere = name, false
			return
		}
	}
}

func networkOfEnd(r *Revision, t *network.Table, e verdict.Endpoint) endNetwork {
	pod := (*model.Pod)(nil)
	switch e.Key.Kind {
	case model.KindPod:
		pod = r.JudgedCluster().Pod(e.Key.Namespace, e.Key.Name)
	case model.KindService:
		if at, n := t.Place(e.Key.Namespace); at == network.OnPrimary {
			return endNetwork{name: n.Name}
		}
		return endNetwork{}
	case "":
		for _, o := range r.AddressOwners(e.Addr.String()) {
			if o.Key.Kind == model.KindPod && o.Note == "" {
				pod = r.Cluster.Pod(o.Key.Namespace, o.Key.Name)
				break
			}
		}
		if n := networkOfService(r, t, e); pod == nil && n != nil {
			return endNetwork{balancedOn: n}
		}
	}
	if pod == nil || pod.HostNetwork {
		return endNetwork{anywhere: true}
	}
	name, known := PrimaryNetwork(r, pod)
	if e.Key.Kind == "" && name != "" { // its address on the default network
		return endNetwork{isolated: pod}
	}
	return endNetwork{name: name, unknown: !known}
}

// networkOfService returns the primary network of the Service whose ClusterIP the end is. It is nil for any
// other address, and for a Service on the default network.
func networkOfService(r *Revision, t *network.Table, e verdict.Endpoint) *network.Network {
	for _, f := range r.Verdicts().ServiceFronts().ByAddr[e.Addr] {
		if at, n := t.Place(f.Service.Namespace); f.Kind == verdict.ClusterIP && at == network.OnPrimary {
			return n
		}
	}
	return nil
}

// isolatedText explains why a pod with a primary network is unreachable at its default network address, or
// reaches nothing from it.
func isolatedText(c verdict.Connection, from, to endNetwork) string {
	if from.isolated != nil {
		return fmt.Sprintf("%s is an address on the default network of pod %s, whose primary network is another: "+
			"tier 0 drops all it sends there (DenyPrimaryUDN)", c.From, from.isolated.Key.NamespacedName())
	}
	if from.name != "" {
		return fmt.Sprintf("%s is on %s, which has no route to the default network of %s", c.From, from.text(), c.To)
	}
	return fmt.Sprintf("%s is an address on the default network of pod %s, whose primary network is another: "+
		"tier 0 drops all it receives there, except from its own node and on its open ports (DenyPrimaryUDN)",
		c.To, to.isolated.Key.NamespacedName())
}

// separateNetworksText explains why two ends cannot reach each other.
func separateNetworksText(c verdict.Connection, from, to endNetwork) string {
	text := fmt.Sprintf("%s is on %s and %s on %s, which are not connected", c.From, from.text(), c.To, to.text())
	switch {
	case from.name == "":
		text += ": the port of " + c.To.String() + " on the default network is isolated by tier 0 (DenyPrimaryUDN)"
	case to.name == "":
		text += ": the network has no route to the default network"
	default:
		text += " unless a ClusterNetworkConnect connects them or both are advertised"
	}
	return text
}
