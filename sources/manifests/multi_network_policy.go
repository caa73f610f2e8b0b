package manifests

import (
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
)

// MultiNetworkPolicy is a NetworkPolicy for secondary networks (networks.md#multinetworkpolicy).
type MultiNetworkPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              networkingv1.NetworkPolicySpec `json:"spec"`
}

// multiNetworkPolicy reads a MultiNetworkPolicy. It isolates only the directions named in policyTypes.
func (n *normaliser) multiNetworkPolicy(o *MultiNetworkPolicy) {
	n.p.Tier = model.TierNetwork
	if o != nil {
		n.npRules(&o.Spec)
	}
}
