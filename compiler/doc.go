// Package compiler turns policies and a cluster into the rows OVN-Kubernetes would write into
// each zone's Northbound database (docs/ovn-kubernetes.md). It also says why OVN-Kubernetes
// would not program a policy: the first reason the controller would meet, in its words.
//
// It works incrementally by label classes. A selector is evaluated once per distinct label set,
// and equal selectors once for all rules. A pod of a known namespace and label set costs only the
// sets it enters. A Desired lists the members of a set only when somebody asks for them.
//
// Invariants: a Desired is immutable and safe to read from any goroutine. A Compiler belongs to
// one goroutine. A sequence of changes gives the same result as compiling the last cluster from
// nothing. The package is pure: no I/O, no clock, no screen.
//
// It may import the model packages; reconciler and engine import it.
package compiler
