// Package legacy knows the network policies of 2016: the annotation that isolates a
// namespace, the NetworkPolicies of extensions/v1beta1, and today's objects that say the
// same (docs/older-forms.md). Kubernetes since 1.7 and OVN-Kubernetes of today ignore the
// annotation: nothing here is so unless somebody asks for it.
//
// Invariants: everything is a function of the objects; what cannot be read isolates
// nothing, as then.
//
// It imports model alone; whatever may import model may import it.
package legacy
