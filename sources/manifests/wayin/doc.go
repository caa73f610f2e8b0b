// Package wayin reads the objects that lead from outside the cluster to Services: Ingress, the Gateway
// API's HTTPRoute and OpenShift's Route.
//
// Invariant: only hosts, paths, Services and ports are read; text in them was cleaned.
//
// It imports model, model/clean and the tree of manifests; sources/manifests imports it.
package wayin
