package network

import "rung/model"

// Programs says whether the controller of a network takes a NetworkPolicy or a MultiNetworkPolicy that is
// for it; n is nil for the default network. One that it does not take has no rows, and isolates nothing
// (networks.md#namespaces, #multinetworkpolicy).
func (t *Table) Programs(n *Network, p *model.Policy) bool {
	if n == nil {
		at, _ := t.Place(p.Namespace)
		return at == OnDefault
	}
	return n.GivesAddresses() || RefusedPeer(p) == nil
}

// RefusedPeer is the first rule of a policy with a peer that a network without addresses cannot have, one
// that selects pods; nil for none.
func RefusedPeer(p *model.Policy) *model.Rule {
	for r := range p.AllRules() {
		for i := range r.Peers {
			if r.Peers[i].Kind != model.PeerNetworks {
				return r
			}
		}
	}
	return nil
}
