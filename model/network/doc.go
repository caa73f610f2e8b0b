// Package network holds the networks besides the default one: user-defined networks and secondary
// ones (docs/networks.md). It says which there are, which network a namespace belongs to, and how
// pods, nodes and policies stand on a network, and which switch, ports and port groups a zone has of it.
//
// Invariants: a Table is immutable; a network is known by its name, as its controller writes it;
// what OVN-Kubernetes would not program is not in a Table but among its Problems. It is pure.
//
// It imports model and its row names; compiler, sources and revision import it.
package network
