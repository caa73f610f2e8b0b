// Package dialect infers from the rows of a zone the configuration and release of the OVN-Kubernetes that
// wrote them. It reads the ConfigMaps of OVN-Kubernetes and OpenShift. It has the table of differences between
// releases, one line for each upstream change (a test compares ovn-kubernetes.md#releases with it). A new
// release is added to that table only.
//
// It also has the list of OVN-Kubernetes' defects that leave wrong rows (ovn-kubernetes.md#known-defects),
// with the marks of such a difference, and remedies.
//
// Invariants: a value is yes, no or unknown, with its source; nothing is guessed. An explained difference is
// still a difference. A difference with two possible causes has none, and one unexplained difference of a
// policy leaves all differences of that policy unexplained. The package is pure; it imports model,
// model/ovn/nb and model/ovn/match.
package dialect
