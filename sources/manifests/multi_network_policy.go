package manifests

import (
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"rung/model"
	"rung/model/words"
)

// MultiNetworkPolicy is a NetworkPolicy for secondary networks (networks.md#multinetworkpolicy).
type MultiNetworkPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              networkingv1.NetworkPolicySpec `json:"spec"`
}

// multiNetworkPolicy reads a MultiNetworkPolicy. It isolates only the directions named in policyTypes.
func (n *normaliser) multiNetworkPolicy(u *unstructured.Unstructured) {
	n.p.Tier = model.TierNetwork
	o, err := readTyped[MultiNetworkPolicy](u.Object)
	if err != nil {
		n.addInvalid(CodeSchema, "", words.CleanText(err.Error()), "")
		return
	}
	n.npRules(&o.Spec)
}
