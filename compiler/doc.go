// Package compiler turns policies and a cluster into the rows OVN-Kubernetes
// would write into each zone's Northbound database (docs/ovn-kubernetes.md).
//
// It is incremental by label classes: a selector is evaluated once per distinct
// label set, equal selectors once for all rules, and a pod that comes into a
// known bucket (namespace, label set) costs only the sets it enters. Nothing in
// a Desired lists the members of a set until somebody asks for them.
//
// Invariants: a Desired is immutable and safe to read from any goroutine; a
// Compiler belongs to one goroutine; the result of a sequence of changes equals
// the result of compiling the last cluster from nothing. It is pure: no I/O, no
// clock, no screen.
//
// It may import the model packages; reconciler and engine import it.
//
// Says why OVN-Kubernetes would not program a policy: what is wrong with it, with the
// nodes that it selects, or with the networks that it is for.
//
// Invariants: it is pure; the reason is the first that the controller would meet, in its words as far
// as they are known.
//
// It imports model; the compiler imports it.
package compiler
