// Package kube holds the tests of Rung on a real cluster: the binary, a real
// kube-apiserver with etcd, kubectl, and per node a real ovsdb-server, or OVN. It is a
// module of its own, so that the product does not depend on Kubernetes' servers.
// `make e2e` builds those and runs it; README.md says how to look at one test.
//
// Nothing imports it.
package kube
