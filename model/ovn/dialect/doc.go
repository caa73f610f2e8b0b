// Package dialect reads from the rows of a zone how the OVN-Kubernetes that wrote them is
// configured, and which release's forms they have. It reads the ConfigMaps with
// OVN-Kubernetes' own configuration, OpenShift's and upstream's, and has the table of what
// differs between releases: one line for each upstream change (ovn-kubernetes.md#releases,
// which a test compares with the table). A new release adds to that table only.
//
// Invariants: a value is yes, no or unknown, with what it was read from; nothing is guessed.
// Lines of the table that no row tells apart are in it, too. The package is pure; everybody
// may import it.
package dialect
