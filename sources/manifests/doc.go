// Package manifests reads Kubernetes objects from YAML and JSON: files, folders,
// standard input, dumps of a whole cluster, and watches them. The tree of their text
// is yamltree, what is wrong with a tree by its type check, the model's form of a policy policy,
// what the API server refuses admission, forms of old releases older. Beside stand the ways
// back: edit into a text, write to an object of a policy that has no text.
//
// Read decodes strictly: a field that does not exist, or not there, is an error
// in a policy and a warning elsewhere, never silently dropped. AdminNetworkPolicy
// and BaselineAdminNetworkPolicy then pass gate 1, what the Kubernetes API server
// would check (package admission; of an earlier release of the CRDs, see Options.Release),
// and every policy passes gate 2, what OVN-Kubernetes can take
// (ovn-kubernetes.md#no-rows). What fails the first is a model.Broken, what fails the
// second is a policy with Invalid set. One bad object never hides a good one.
//
// Invariants: objects handed out are complete and immutable; text in them was
// cleaned, except Policy.YAML and Policy.Original, which are the author's own;
// nothing half-read is published.
//
// It imports the model packages, the packages below it but for edit and write, the tools of
// sources and Kubernetes libraries. sources/kube, its own edit and write and the engine import it.
package manifests
