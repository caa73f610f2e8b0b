// Package dialect reads from the rows of a zone how the OVN-Kubernetes that wrote them is
// configured, and the release whose forms they have. It reads the ConfigMaps of OVN-Kubernetes and
// OpenShift. It has the table of differences between releases, one line for each upstream change
// (ovn-kubernetes.md#releases, which a test compares with the table). A new release adds to that
// table only.
//
// It also has the list of OVN-Kubernetes' defects that leave wrong rows
// (ovn-kubernetes.md#known-defects): the marks by which a difference is recognised, and remedies.
//
// Invariants: a value is yes, no or unknown, with its source; nothing is guessed. A difference with
// an explanation stays a difference. A difference with two possible causes has none, and one
// unexplained difference of a policy leaves all differences of that policy unexplained. The package
// is pure; it imports model, model/ovn/nb and model/ovn/match.
package dialect
