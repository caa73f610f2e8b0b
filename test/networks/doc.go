// Package networks is a second compiler of the rows of tier 2, written from docs/networks.md and
// docs/ovn-kubernetes.md alone: NetworkPolicies, default deny, hairpin and node rows, EgressFirewalls,
// multicast and MultiNetworkPolicies, on the default network and on all others. It shares nothing with
// the compiler, nor with the table of networks that the model makes, but the objects.
//
// It is naive on purpose: it asks every object about everything, and keeps nothing. Its code can be
// checked by reading it beside the documents. World makes random clusters and what happens to them.
//
// Invariants: it imports model, model/network for its objects and test/made only; a disagreement with it
// is settled by the documents, not by either of the two.
//
// Tests import it, and nothing else.
package networks
