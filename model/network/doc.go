// Package network holds the networks other than the default: user-defined and secondary networks
// (docs/networks.md). It knows which networks exist, the network of each namespace, how pods, nodes and
// policies appear on a network, and which switch, ports and port groups a zone has of it.
//
// Invariants: a Table is immutable. The controller's spelling of the name identifies a network. Networks that
// OVN-Kubernetes would not program are not in a Table but among its Problems. The package is pure.
//
// It imports model and its row names; compiler, sources and revision import it.
package network
