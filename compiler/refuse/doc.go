// Package refuse says why OVN-Kubernetes would not program a policy: what is wrong with it, with the
// nodes that it selects, or with the networks that it is for.
//
// Invariants: it is pure; the reason is the first that the controller would meet, in its words as far
// as they are known.
//
// It imports model; the compiler imports it.
package refuse
