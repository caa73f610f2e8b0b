// Package recorded holds databases that OVN-Kubernetes' own process wrote for known objects, as test data:
// a folder for each cluster, with the objects and one database for each node. Its tests hold Rung's drift
// against them. Nobody imports it.
package recorded
