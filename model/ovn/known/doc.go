// Package known knows the defects of OVN-Kubernetes that leave rows other than they
// should be (docs/ovn-kubernetes.md#known-defects): their list, the marks by which a
// difference is recognised as one's doing, their descriptions, and the remedies.
//
// Invariants: a difference that is explained stays a difference. Nothing is explained
// that another cause could have done as well: an uncertain difference has no cause, and
// one difference of a policy that pods do not explain leaves all of that policy's
// without one. The package is pure.
//
// It imports model and model/ovn/nb; the engine asks it, and everybody else the engine's
// revision.
package known
