// Package policy brings typed policies into the model's form: AdminNetworkPolicy, its baseline,
// ClusterNetworkPolicy, NetworkPolicy, MultiNetworkPolicy, EgressFirewall, and the policies of Antrea, whose API
// types it has. Values that their network plugin cannot take (ovn-kubernetes.md#no-rows,
// antrea.md) are noted in Policy.Invalid, and never keep a policy from being read.
//
// Invariants: a policy handed out is complete and has its typed object as Original; texts were
// cleaned.
//
// It imports model, manifests/check and manifests/yamltree. sources/manifests and its admission
// import it, and packages that turn a tree into its typed object.
package policy
