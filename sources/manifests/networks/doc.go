// Package networks reads the objects that networks besides the default one come from, and what
// annotations say of how pods and nodes stand on networks: UserDefinedNetwork,
// ClusterUserDefinedNetwork and ClusterNetworkConnect of OVN-Kubernetes,
// NetworkAttachmentDefinition (networks.md).
//
// Invariants: an object that cannot be used is read all the same, and says why in one line (Err); the
// same line is among its issues, with the field. Subnets are masked. Text was cleaned.
//
// It imports model, model/network, manifests/check and manifests/yamltree; sources/manifests imports it.
package networks
