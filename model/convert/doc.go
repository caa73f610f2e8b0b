// Package convert says in the API of one kind what policies say in that of another:
// AdminNetworkPolicy and BaselineAdminNetworkPolicy in ClusterNetworkPolicy, and back.
//
// It goes from normal form to normal form. What became of each rule is labelled: exact, where
// every connection is decided as before; approximate or not expressible, with the reason,
// where not. A connection that no rule of the latter kinds matches is decided as before.
//
// Invariants: policies that are given are never changed, and those that come share nothing
// that could be; the same policies in any order give the same result. What has no limit in
// one API and one in the other is split, so that order is kept.
//
// It imports model and model/ladder; whatever may import model may import it.
package convert
