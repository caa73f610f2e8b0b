// Package manifests reads Kubernetes objects from YAML and JSON: files, folders, standard input,
// dumps of a whole cluster, and watches them. Package yamltree has the tree of their text, check
// the errors of a tree by its type, policy the model's form of a policy, admission the API
// server's checks, older the forms of old releases. Two packages go the other way: edit changes a
// text, write makes an object of a policy that has no text.
//
// Read decodes strictly: a field that does not exist, or not there, is an error in a policy and a
// warning elsewhere, never silently dropped. AdminNetworkPolicy and BaselineAdminNetworkPolicy
// then pass gate 1, the checks of the Kubernetes API server (package admission; for an earlier
// release of the CRDs, see Options.Release), and every policy passes gate 2, the limits of
// OVN-Kubernetes (ovn-kubernetes.md#no-rows). An object that fails the first is a model.Broken, a
// policy that fails the second has Invalid set. One bad object never hides a good one.
//
// Invariants: objects handed out are complete and immutable; text in them was cleaned, except
// Policy.YAML and Policy.Original, which are the author's own; nothing half-read is published.
//
// It imports the model packages, the packages below it but for edit and write, the tools of
// sources and Kubernetes libraries. sources/kube, its own edit and write and the engine import it.
package manifests
