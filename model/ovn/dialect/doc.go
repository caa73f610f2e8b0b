// Package dialect reads from the rows of one zone how the OVN-Kubernetes that
// wrote them is configured, and of which release their forms are.
//
// Rows say what is, not what was asked for: each value is yes, no or unknown,
// with what it was read from. Unknown is the answer wherever rows do not tell;
// nothing is guessed. The forms are those of ovn-kubernetes.md#older-forms.
//
// The package is pure: it imports model/ovn/nb only, knows no clock and does no
// I/O. Everybody may import it.
package dialect
