// Package flow holds the rows of the Southbound database that Rung reads, and explains the logical flows that
// northd makes from ACLs.
//
//	DB            an immutable snapshot: logical flows of the ACL stages, datapaths, chassis
//	JoinFlows     compares the ACLs of a zone with its flows (ovn-kubernetes.md#logical-flows-of-an-acl)
//	NodeProgress  how far northd and the nodes are
//	Parse         parses the output of ovn-trace and ovnkube-trace (ovn-kubernetes.md#traces)
//	PlanQuestions makes the command lines of ovn-trace for a connection, zone by zone
//
// Invariants: a DB never changes; Apply makes the next one, which shares unchanged tables. The hint in a
// flow's external_ids names its ACL. Only an ACL without flows of its own gets equal flows of other ACLs, each
// marked (Flow.OtherACLHint). Unknown actions stay as written and are counted; forms from OVN 23.06 to 25.03
// are known. No value of a cluster can be an option in a command line. Every line of a trace is parsed,
// skipped as another program's, or counted as unknown. Input is limited by MaxInput and MaxLine, and no input
// makes the package panic. The package is pure and imports model packages only.
package flow
