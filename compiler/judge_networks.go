package compiler

import (
	"fmt"

	"rung/model"
	"rung/model/network"
)

// WhyNotOnNetwork returns why a network's controller programs no rows for a NetworkPolicy or
// MultiNetworkPolicy; nil if it does (networks.md#namespaces, #multinetworkpolicy).
func (c Judge) WhyNotOnNetwork(p *model.Policy) *model.NoRows {
	if c.On == nil {
		switch at, on := c.Networks.Place(p.Namespace); at {
		case network.WithoutNetwork:
			return NoNetwork(p.Namespace)
		case network.WithoutLabel:
			return &model.NoRows{Code: model.NoNetworkLabel, Message: fmt.Sprintf(
				"namespace %s has the primary network %s but lacks the label %s: no controller programs its NetworkPolicies", p.Namespace, on.Name,
				model.LabelPrimaryUDN)}
		}
		return nil
	}
	if c.Networks.Programs(c.On, p) {
		return nil
	}
	return &model.NoRows{Code: model.NoAddresses, Message: fmt.Sprintf(
		"invalid %s peer in multi-network policy %s; IPAM-less networks can only have `ipBlock` peers",
		network.PodSelectingRule(p).Direction.Lower(),
		p.Name)}
}

// NoNetwork returns the reason for a namespace whose primary network does not exist yet.
func NoNetwork(namespace string) *model.NoRows {
	return &model.NoRows{Code: model.NoNetwork, Message: fmt.Sprintf(
		"namespace %s has the label %s but no primary network yet: no controller programs its policies", namespace, model.LabelPrimaryUDN)}
}

// WhyNoNetworks returns why no network programs a MultiNetworkPolicy; nil if one does, or p is nil.
func (c Judge) WhyNoNetworks(p *model.Policy) *model.NoRows {
	if p == nil {
		return nil
	}
	if c.NoMultiPolicies {
		return &model.NoRows{Code: model.NoController, Message: "enable-multi-networkpolicy is off: no controller programs MultiNetworkPolicies"}
	}
	if len(c.Networks.SecondaryTargets(p)) > 0 {
		return nil
	}
	return &model.NoRows{Code: model.NoNetwork, Message: c.Networks.WhyNotSecondary(p)}
}
