// Package manifests reads Kubernetes objects from YAML and JSON: files, folders,
// standard input, dumps of a whole cluster, and watches them. The tree of their text
// is yamltree, the way back into it edit.
//
// Read decodes strictly: a field that does not exist, or not there, is an error
// in a policy and a warning elsewhere, never silently dropped. AdminNetworkPolicy
// and BaselineAdminNetworkPolicy then pass gate 1, what the Kubernetes API server
// would check (OpenAPI schema, defaults, pruning and CEL of the CRDs under crds/, or of an earlier release of them, see Options.Release),
// and every policy passes gate 2, what OVN-Kubernetes can take
// (ovn-kubernetes.md#no-rows). What fails the first is a model.Broken, what fails the
// second is a policy with Invalid set. One bad object never hides a good one.
//
// Invariants: objects handed out are complete and immutable; text in them was
// cleaned, except Policy.YAML and Policy.Original, which are the author's own;
// nothing half-read is published.
//
// It imports the model packages, its yamltree, the tools of sources and Kubernetes
// libraries. sources/kube, its own edit and the engine import it.
package manifests

//go:generate go tool controller-gen crd:maxDescLen=0 paths=sigs.k8s.io/network-policy-api/apis/v1alpha1;sigs.k8s.io/network-policy-api/apis/v1alpha2 output:dir=crds
//go:generate go run ./gen -out schemas
