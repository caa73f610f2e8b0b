// Package networks finds what an admin should know about networks besides the default one
// (docs/networks.md): objects that are no network, namespaces whose policies nobody programs,
// MultiNetworkPolicies that do less than they say, annotations of pods that freeze address sets.
//
// Invariants: those of package lint. Each fault is said once, of the object that has it.
//
// It imports model packages only; package lint calls it.
package networks
