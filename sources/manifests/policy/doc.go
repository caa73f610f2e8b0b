// Package policy brings typed policies into the model's form: AdminNetworkPolicy, its baseline,
// ClusterNetworkPolicy, NetworkPolicy, EgressFirewall, and those of Antrea, whose API types it
// has. What their network plugin cannot take (ovn-kubernetes.md#no-rows, antrea.md) is noted in
// Policy.Invalid, and never keeps a policy from being read.
//
// Invariants: a policy handed out is complete and has its typed object as Original; texts were
// cleaned.
//
// It imports model, manifests/check and manifests/yamltree. sources/manifests and its admission
// import it, and who turns a tree into its typed object.
package policy
