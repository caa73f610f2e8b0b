// Package flow explains the logical flows that northd makes of ACLs: the stage and tier
// a flow decides in, which packets it is for, and what its actions do, in words
// (ovn-kubernetes.md#logical-flows-of-an-acl). Join holds the ACLs of a zone against the
// flows of its Southbound database, NodeProgress says how far northd and the nodes are.
//
// Invariants: which ACL a flow was made for is told by the hint in the flow's
// external_ids; only an ACL that lacks flows of its own hint gets those of others that do
// what it says, and each of these is marked (Flow.Twin). An action that is not known stays
// as it is written and is counted; the forms are those of OVN 23.06 to 25.03, and no input
// makes the package panic. It is pure and has no clock.
//
// It imports the model packages only; sources, engine and everything above may import it.
package flow
