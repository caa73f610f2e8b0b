package network

import (
	"rung/model"
	"rung/model/words"
)

// Programs reports whether a network's controller accepts a NetworkPolicy or MultiNetworkPolicy for it; n is
// nil for the default network. A policy it rejects has no rows and isolates nothing (networks.md#namespaces,
// #multinetworkpolicy).
func (t *Table) Programs(n *Network, p *model.Policy) bool {
	if n == nil {
		at, _ := t.Place(p.Namespace)
		return at == OnDefault
	}
	return n.GivesAddresses() || PodSelectingRule(p) == nil
}

// PodSelectingRule returns the first rule of a policy with a peer that selects pods, which a network without
// addresses rejects; nil if none does.
func PodSelectingRule(p *model.Policy) *model.Rule {
	for r := range p.AllRules() {
		for i := range r.Peers {
			if r.Peers[i].Kind != model.PeerNetworks {
				return r
			}
		}
	}
	return nil
}

// DropsPodSelectors reports whether a MultiNetworkPolicy lost its last peer that selects pods.
func DropsPodSelectors(old, now *model.Policy) bool {
	return old.Kind == model.KindMNP && PodSelectingRule(old) != nil && PodSelectingRule(now) == nil
}

// WhyNotSecondary returns which networks of a MultiNetworkPolicy are not secondary networks; empty if all are.
func (t *Table) WhyNotSecondary(p *model.Policy) string {
	targets := t.PolicyTargets(p)
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
		text = "no network is known for " + words.ListFew(unknown, 3)
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
		return model.AnnotationPolicyFor + " also names networks that are not secondary: " + text
	}
	return model.AnnotationPolicyFor + " names no secondary network: " + text
}
