// Package cluster runs a Kubernetes cluster for tests: etcd, kube-apiserver and
// an ovsdb-server per node (AddZones) or OVN itself (AddLab), all real programs on
// this machine, with their data in memory and their ports fixed, so that clients
// find a restarted server again.
//
// What a real cluster has and this one has not: controllers (namespaces stay
// Terminating, no EndpointSlices, no garbage collection) and kubelets. Nodes and
// pods are written with their status by the test. The rows of each zone that are
// nobody's policy (the ports of pods, the groups of namespaces) are written not
// through the code under test: by Rung's sandbox, which is told of pods by watches
// of its own, or in a lab by the lab.
//
// Only the tests of this module import it.
package cluster
