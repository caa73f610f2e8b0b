// Package dialect reads from the rows of one zone how the OVN-Kubernetes that
// wrote them is configured, and of which release their forms are.
//
// Rows say what is, not what was asked for: each value is yes, no or unknown,
// with what it was read from. Unknown is the answer wherever rows do not tell;
// nothing is guessed. The forms are those of ovn-kubernetes.md#older-forms.
//
// The package is pure: it imports model/ovn/nb only, knows no clock and does no
// I/O. Everybody may import it.
//
// It also reads the ConfigMaps that hold OVN-Kubernetes' own configuration: OpenShift's, whose one value is
// a file, and upstream's, which has keys of its own.
//
// Compiler and settings use it; sources make its objects. It imports model.
//
// It is also the table of what differs between releases of OVN-Kubernetes in the rows and
// conditions that Rung reads: one line for each upstream change, with the form of today, the other
// form, how a row shows which of them it has, and what Rung does about it.
//
// It is the one place that a new release adds to. Package dialect counts, for each line, the rows of
// a zone that have either form; revision lets the zones vote; the compiler asks the Set of
// its options which lines it compiles in their other form; docs/ovn-kubernetes.md#releases is
// written from the table and held to it by a test.
//
// A line that is told apart by no row stands in the table all the same, so that a reader finds every
// difference at one place; nothing is inferred from it.
//
// The package is pure: it imports model/ovn/nb and model/ovn/match only. Everybody may import it.
package dialect
