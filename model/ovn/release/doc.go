// Package release is the table of what differs between releases of OVN-Kubernetes in the rows and
// conditions that Rung reads: one line for each upstream change, with the form of today, the other
// form, how a row shows which of them it has, and what Rung does about it.
//
// It is the one place that a new release adds to. Package dialect counts, for each line, the rows of
// a zone that have either form; revision/settings lets the zones vote; the compiler asks the Set of
// its options which lines it compiles in their other form; docs/ovn-kubernetes.md#releases is
// written from the table and held to it by a test.
//
// A line that is told apart by no row stands in the table all the same, so that a reader finds every
// difference at one place; nothing is inferred from it.
//
// The package is pure: it imports model/ovn/nb and model/ovn/match only. Everybody may import it.
package release
