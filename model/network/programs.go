package network

import (
	"rung/model"
	"rung/model/words"
)

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

// TakesSelectorsBack says whether a MultiNetworkPolicy had a peer that selects pods, and has none any more.
func TakesSelectorsBack(old, now *model.Policy) bool {
	return old.Kind == model.KindMNP && RefusedPeer(old) != nil && RefusedPeer(now) == nil
}

// WhyNoTarget says which of the networks that a MultiNetworkPolicy names are none that it can be for;
// empty where all are secondary networks.
func (t *Table) WhyNoTarget(p *model.Policy) string {
	targets := t.TargetsOf(p)
	if len(targets) == 0 {
		return "the annotation " + model.AnnotationPolicyFor + " names no network"
	}
	var unknown, primary []string
	for _, t := range targets {
		switch {
		case t.Network == nil:
			unknown = append(unknown, t.Key)
		case t.Network.Primary:
			primary = append(primary, t.Key)
		}
	}
	text := ""
	if len(unknown) > 0 {
		text = "there is no network behind " + words.ListFew(unknown, 3)
	}
	if len(primary) > 0 {
		if text != "" {
			text += "; "
		}
		text += words.ListFew(primary, 3) + " " + words.OneOrMany(len(primary), "is a primary network", "are primary networks")
	}
	switch {
	case text == "":
		return ""
	case len(unknown)+len(primary) < len(targets):
		return model.AnnotationPolicyFor + " does not name secondary networks alone: " + text
	}
	return model.AnnotationPolicyFor + " names no secondary network: " + text
}
