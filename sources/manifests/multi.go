package manifests

import (
	"fmt"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"rung/model"
	"rung/model/words"
)

// MultiNetworkPolicy is a NetworkPolicy for secondary networks (networks.md#multinetworkpolicy), with the same
// spec.
type MultiNetworkPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              networkingv1.NetworkPolicySpec `json:"spec"`
}

// ReadMultiNetworkPolicy converts an object to its typed form.
func ReadMultiNetworkPolicy(u *unstructured.Unstructured) (*MultiNetworkPolicy, error) {
	var o MultiNetworkPolicy
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &o); err != nil {
		return nil, fmt.Errorf("cannot be read as MultiNetworkPolicy: %w", err)
	}
	return &o, nil
}

// multiNetworkPolicy reads a MultiNetworkPolicy. It isolates only the directions named in policyTypes.
func (n *normaliser) multiNetworkPolicy(u *unstructured.Unstructured) {
	n.p.Tier = model.TierNetwork
	o, err := ReadMultiNetworkPolicy(u)
	if err != nil {
		n.addInvalid(CodeSchema, "", words.CleanText(err.Error()), "")
		return
	}
	n.p.IsolatesIngress = slices.Contains(o.Spec.PolicyTypes, networkingv1.PolicyTypeIngress)
	n.p.IsolatesEgress = slices.Contains(o.Spec.PolicyTypes, networkingv1.PolicyTypeEgress)
	n.npRules(&o.Spec)
}
