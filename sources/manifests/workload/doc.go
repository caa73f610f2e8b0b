// Package workload makes pods of workloads: Deployments and the other kinds that keep pods
// running. A repository has these and no pods; a policy is about pods. So a workload stands for
// the pods that its controller would make of its template: two where it wants several, one a
// node for a DaemonSet, two if no node is known. Where pods of a workload exist, these count and none is made.
//
// Invariants: a made pod has model.Pod.ToBe set and neither a node nor an address of its own;
// the same workloads, pods and nodes give the same pods, whatever their order.
//
// It imports model and Kubernetes' types; sources/manifests, which reads workloads from text and
// from an API server, imports it, and so does the engine, which follows them on a cluster.
package workload
