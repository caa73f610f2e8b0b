// Package flow holds the rows of the Southbound database that Rung reads, and explains the
// logical flows that northd makes of ACLs.
//
//	DB            an immutable snapshot: logical flows of the ACL stages, datapaths, chassis
//	Join          the ACLs of a zone against its flows (ovn-kubernetes.md#logical-flows-of-an-acl)
//	NodeProgress  how far northd and the nodes are
//	Parse         the output of ovn-trace and ovnkube-trace (ovn-kubernetes.md#traces)
//	PlanQuestions the command lines of ovn-trace for a connection, zone by zone
//
// Invariants: a DB never changes; Apply makes the next one, which shares what stayed. The hint in a
// flow's external_ids names its ACL. Only an ACL without flows of its own gets equal flows of other
// ACLs, and each is marked (Flow.Twin). An unknown action stays as written and is counted; the forms
// are those of OVN 23.06 to 25.03. No value of a cluster can be an option in a command line. Every
// line of a trace is read, passed over as another program's, or counted as unknown. Input is bounded
// by MaxInput and MaxLine, and no input makes the package panic. The package is pure and imports the
// model packages only.
package flow
