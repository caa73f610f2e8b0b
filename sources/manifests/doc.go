// Package manifests reads Kubernetes objects from YAML and JSON: files, folders,
// standard input, dumps of a whole cluster. It watches them and writes changes
// of policies back into them.
//
// Read decodes strictly: a field that does not exist, or not there, is an error
// in a policy and a warning elsewhere, never silently dropped. AdminNetworkPolicy
// and BaselineAdminNetworkPolicy then pass gate 1, what the Kubernetes API server
// would check (OpenAPI schema, defaults, pruning and CEL of the CRDs under crds/),
// and every policy passes gate 2, what OVN-Kubernetes can take
// (ovn-kubernetes.md#no-rows). What fails the first is a model.Broken, what fails the
// second is a policy with Invalid set. One bad object never hides a good one.
//
// Invariants: objects handed out are complete and immutable; text in them was
// cleaned, except Policy.YAML and Policy.Original, which are the author's own;
// nothing half-read is published; WriteBack changes no byte it was not asked to
// change, and nothing at all when the file is not the one that was read.
//
// It imports the model packages and Kubernetes libraries; the engine, tests and
// main import it.
package manifests

//go:generate go tool controller-gen crd:maxDescLen=0 paths=sigs.k8s.io/network-policy-api/apis/v1alpha1 output:dir=crds
