// Package engine is the console without a screen: the loop that owns what changes,
// the zones with their reconcilers, and the wiring of the rooms below it.
//
//	settings   what a cluster's OVN-Kubernetes runs with, zone by zone
//	revision   what is read: one immutable state of everything, and what it answers
//	gate       the one way by which policies are changed
//	logs       ACL log lines, each with the rule behind it
//	source     what delivers objects
//	statedir   the files below the state folder that are no history and no audit
//
// Invariants: one goroutine, the loop, owns the state and publishes revisions; whoever
// is not the loop sends it a function. Object state is delivered always and coalesced,
// log lines may be dropped and are counted then. Every goroutine and timer ends with
// Close.
//
// It may import everything below it (compiler, reconciler, sources, model); ui and cli
// import it.
package engine
