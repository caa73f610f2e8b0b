// Package admission says what the API server would refuse of a policy or network: by the OpenAPI schema,
// the defaults, the pruning and the CEL rules of its CRD (crds/, those of Antrea, of networks and of an
// earlier release in schemas/, or those a cluster has, see Schemas), and by the checks that Kubernetes
// has in code for NetworkPolicies, which MultiNetworkPolicies must pass as well.
//
// Invariants: it is safe for concurrent use; a CRD is compiled when the first object needs it.
//
// It imports model, manifests/check, manifests/policy and Kubernetes' libraries. sources/manifests
// imports it, sources/kube, which brings the CRDs of a cluster, and who offers releases.
package admission

//go:generate go tool controller-gen crd:maxDescLen=0 paths=sigs.k8s.io/network-policy-api/apis/v1alpha1;sigs.k8s.io/network-policy-api/apis/v1alpha2 output:dir=crds
//go:generate go test . -run TestGenerateEarlier -update
