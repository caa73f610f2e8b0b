// Package cluster runs a Kubernetes cluster for tests: etcd, kube-apiserver and
// an ovsdb-server per node, all real programs on this machine, with their data
// in memory and their ports fixed, so that clients find a restarted server again.
//
// What a real cluster has and this one has not: controllers (namespaces stay
// Terminating, no EndpointSlices, no garbage collection), kubelets and OVN. Nodes
// and pods are written with their status by the test; the rows of each zone that
// are nobody's policy (the ports of pods, the groups of namespaces) are written by
// Rung's sandbox, which is told of pods by watches of its own, not through the
// code under test.
//
// Only the tests of this module import it.
package cluster
