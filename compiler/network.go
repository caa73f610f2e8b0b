package compiler

import (
	"fmt"

	"rung/model"
	"rung/model/network"
)

// WhyNotOnNetwork says why a NetworkPolicy, or a MultiNetworkPolicy on its network, has no rows for
// the sake of networks; nil where it has (networks.md#namespaces, #multinetworkpolicy).
func (c Judge) WhyNotOnNetwork(p *model.Policy) *model.NoRows {
	if c.On == nil {
		switch at, on := c.Networks.Place(p.Namespace); at {
		case network.WithoutNetwork:
			return NoNetwork(p.Namespace)
		case network.WithoutLabel:
			return &model.NoRows{Code: model.NoNetworkLabel, Message: fmt.Sprintf(
				"namespace %s has the primary network %s and not the label %s: no controller programs its NetworkPolicies", p.Namespace, on.Name,
				model.LabelPrimaryUDN)}
		}
		return nil
	}
	if c.Networks.Programs(c.On, p) {
		return nil
	}
	return &model.NoRows{Code: model.NoAddresses, Message: fmt.Sprintf(
		"invalid %s peer in multi-network policy %s; IPAM-less networks can only have `ipBlock` peers", network.RefusedPeer(p).Direction.Lower(),
		p.Name)}
}

// NoNetwork is the reason of a namespace whose primary network is not there yet.
func NoNetwork(namespace string) *model.NoRows {
	return &model.NoRows{Code: model.NoNetwork, Message: fmt.Sprintf(
		"namespace %s has the label %s and no primary network yet: no controller programs its policies", namespace, model.LabelPrimaryUDN)}
}

// WhyNoNetworks says why a MultiNetworkPolicy is programmed on no network; nil for none and where it is.
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
	return &model.NoRows{Code: model.NoNetwork, Message: c.Networks.WhyNoTarget(p)}
}
