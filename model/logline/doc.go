// Package logline says what a line of a node's log of ACLs tells, which rule the name of an ACL
// stands for, and how the stream of such lines from a node is doing.
//
// Invariants: the text of a Line was cleaned by the source that read it; a name that was cut is
// never taken for a whole one (RuleRef.Exact).
//
// It imports model; sources read lines, and whoever shows or counts them imports it.
package logline
