// Package ovntrace asks ovn-trace and reads its answers. PlanQuestions and PacketQuestion make command lines of
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
package ovntrace
