// Package convert rewrites the policies of one API in another: AdminNetworkPolicy and
// BaselineAdminNetworkPolicy to ClusterNetworkPolicy and back, Antrea's to either, and either to Antrea's
// (antrea.md#conversion).
//
// It goes from normal form to normal form. Each rule gets a label: exact if every connection is decided as
// before, else approximate or not expressible, with the reason. Leaving a rule out moves no other: connections
// that no inexact rule matches, before or after, keep their verdict. Decisions without a policy are not
// compared, although OVN-Kubernetes and Antrea differ there (antrea.md#what-the-systems-do-by-themselves).
//
// A policy that is split by values of namespaces carries a record in the annotation model.AnnotationConverted.
// From it package lint finds values that appeared later.
//
// Whether a connection shows the difference of an inexact rule takes the verdicts of both sides, which this
// package does not know: engine/convert asks for them.
//
// Invariants: the source policies are never changed, and the new policies share nothing mutable with them. The
// order of the input does not matter. Lists too long for the other API are split in order; tied policies stay
// tied.
//
// It imports model, model/antrea, model/words, model/ladder and model/plan; these must not import it.
package convert
