package manifests

import (
	"reflect"

	networkingv1 "k8s.io/api/networking/v1"

	"rung/model"
)

// np2016 are the NetworkPolicies of Kubernetes 1.3 to 1.15, in an API that servers since
// 1.16 do not have (older-forms.md#networkpolicies-of-extensionsv1beta1). The fields are
// those of today, of which the older releases know fewer; without policyTypes and egress
// both mean ingress.
var np2016 = kindInfo{model.KindNP, "extensions", "v1beta1", true, reflect.TypeFor[networkingv1.NetworkPolicy](), nil}

// olderVersion is the API version of a NetworkPolicy that is not of today's API, else empty.
func olderVersion(o *networkingv1.NetworkPolicy) string {
	if o.APIVersion == model.APIVersionNP2016 {
		return o.APIVersion
	}
	return ""
}
