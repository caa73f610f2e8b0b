// Package ownership says whether rows may be written in zones that are not Rung's own:
// who else may write there, by pods, nodes and Leases, and what is reported of it.
//
// Invariants: it fails closed, so that who does not know that nobody else writes does not
// write; whether rows change by another writer is watched by the reconciler, which sees
// them first; what is reported when a Lease ends is the next holder's.
//
// The engine and its zones import it; it imports engine/loop, reconciler, revision and
// sources/kube.
package ownership
