package standing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/network"
	"rung/model/verdict"
	"rung/revision"
)

// PrimaryNetworkOf is the name of the network that a pod's connections go over, empty for the
// default one. A network that no object is about is named as the pod's annotation has it, and known
// is false.
func PrimaryNetworkOf(r *revision.Revision, p *model.Pod) (name string, known bool) {
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
// ends are on, or on the one that the question names. Apart is the answer
// where the ends are on different networks: no policy is asked then.
func ForConnection(r *revision.Revision, c verdict.Connection) (on *revision.Revision, apart *Apart, err error) {
	t := revision.WholeDesired(r).Networks()
	switch {
	case r.Network != nil || c.Network == "" && len(t.Names()) == 0:
		return r, nil, nil
	case c.Network == revision.DefaultNetwork:
		return r, nil, nil
	case c.Network != "":
		on = revision.OnNetwork(r, c.Network)
		if on == nil {
			return nil, nil, fmt.Errorf("%w: there is no network %s", verdict.ErrQuestion, c.Network)
		}
		for _, e := range []verdict.Endpoint{c.From, c.To} {
			if k := e.Key; k.Kind == model.KindPod && on.Cluster.Pod(k.Namespace, k.Name) == nil && r.Cluster.Pod(k.Namespace, k.Name) != nil {
				return nil, nil, fmt.Errorf("%w: pod %s/%s is not on the network %s", verdict.ErrQuestion, k.Namespace, k.Name, c.Network)
			}
		}
		return on, nil, nil
	}
	from, to := placeOf(r, t, c.From), placeOf(r, t, c.To)
	switch {
	case from.unknown || to.unknown:
		return r, nil, nil
	case from.name == to.name && from.name == "":
		return r, nil, nil
	case from.anywhere && to.name != "":
		return revision.OnNetwork(r, to.name), nil, nil
	case from.name == "" && leavesOpen(r, c):
		return r, nil, nil // tier 0 lets it in, and no policy of the pod's is asked
	case to.anywhere && from.name != "", from.name == to.name:
		return revision.OnNetwork(r, from.name), nil, nil
	}
	if by := connectedBy(r, t, from.name, to.name); by != "" {
		return r, &Apart{verdict.Unknown, fmt.Sprintf("%s is on the user-defined network %s and %s on %s, which ClusterNetworkConnect %s connects: "+
			"each network's policies decide at its own end, and Rung does not put them together; each is asked on its own network, with the address of the other end", c.From, from.name, c.To, to.name, by)}, nil
	}
	return r, &Apart{verdict.Deny, apartText(c, from, to)}, nil
}

// Apart is the answer about ends on different networks: no policy is asked.
type Apart struct {
	Verdict verdict.Verdict
	Reason  string
}

// connectedBy is the name of a ClusterNetworkConnect that lets pods of two networks reach each other, or
// may, since their numbers are not known; empty for none.
func connectedBy(r *revision.Revision, t *network.Table, a, b string) string {
	if a == "" || b == "" {
		return ""
	}
	for c := range model.ObjectsOf[*network.Connect](r.Cluster, model.KindCNC) {
		x, y := t.Network(a).ID, t.Network(b).ID
		if c.Pods && (x == "" || slices.Contains(c.IDs, x)) && (y == "" || slices.Contains(c.IDs, y)) {
			return c.Name
		}
	}
	return ""
}

// leavesOpen says whether a connection goes to a port that its pod, on a primary network, leaves open on
// the default one (networks.md#tier-0).
func leavesOpen(r *revision.Revision, c verdict.Connection) bool {
	if c.To.Key.Kind != model.KindPod {
		return false
	}
	pod := r.JudgedCluster().Pod(c.To.Key.Namespace, c.To.Key.Name)
	if pod == nil {
		return false
	}
	term := strings.ToLower(string(c.Protocol))
	if c.Protocol != verdict.ICMP {
		term += ".dst == " + strconv.Itoa(int(c.Port))
	}
	return slices.Contains(pod.OpenPorts, term)
}

// placeOfEnd is the network that an end of a connection is on: its name, empty for the default one.
type placeOfEnd struct {
	name string
	// anywhere says that the end is no pod: it is reached from any network, or from none.
	anywhere bool
	// unknown says that nothing is read of the network.
	unknown bool
}

func placeOf(r *revision.Revision, t *network.Table, e verdict.Endpoint) placeOfEnd {
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
	name, known := PrimaryNetworkOf(r, pod)
	if e.Key.Kind == "" && name != "" { // an address of the default network of such a pod
		return placeOfEnd{}
	}
	return placeOfEnd{name: name, unknown: !known}
}

// apartText says why two ends do not reach each other.
func apartText(c verdict.Connection, from, to placeOfEnd) string {
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
