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
//
// It also asks ovn-trace and reads its answers. PlanQuestions and PacketQuestion make command lines of
// a connection, zone by zone. Parse reads the output of ovn-trace, in its detailed, summary
// and minimal form, and the lines that ovnkube-trace prints around it, and says which
// logical flows of ACLs a packet met, stage by stage, and what was decided
// (ovn-kubernetes.md#traces).
//
// Invariants: no value of a cluster can be an option or anything else than a value in a
// command line; every line that is read is accounted for: it is read, passed over as that
// of another program, or counted as unknown; text that leaves the package is clean; input
// is bounded by MaxInput and MaxLine, and none makes the package panic. The ACL behind a
// flow is not known here: revision finds it. It is pure, and runs nothing.
//
// It imports the model packages only; engine and everything above may import it.
package flow
