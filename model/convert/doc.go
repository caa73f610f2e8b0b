// Package convert rewrites the policies of one kind in the API of another: AdminNetworkPolicy
// and BaselineAdminNetworkPolicy in ClusterNetworkPolicy and back, Antrea's in either, and
// either in Antrea's (antrea.md#conversion).
//
// It goes from normal form to normal form. The result for each rule is labelled: exact, where
// every connection is decided as before; approximate or not expressible, with the reason, where
// not. A connection that no rule of the latter kinds matches, neither as it was nor as it is
// now, is decided as before: a rule that is left out moves no other. The systems themselves are
// not compared: how OVN-Kubernetes and Antrea decide without a policy, each its own way,
// belongs to no policy (antrea.md#what-the-systems-do-by-themselves).
//
// A policy that becomes one for each value of namespaces carries a record of that in the
// annotation model.AnnotationConverted, from which package lint tells values that came since.
//
// Whether a rule that is not exact has a connection that shows it is for the verdicts of both
// sides: engine/convert asks them, since this package does not know them.
//
// Invariants: the policies that are given are never changed, and the policies that are made
// share nothing with them that could be; the same policies in any order give the same result. A
// list without a limit in one API and with one in the other is split, so that order is kept;
// policies that are tied stay tied.
//
// It imports model, model/antrea, model/words, model/ladder and model/plan; whatever may import
// model may import it, but for these.
package convert
