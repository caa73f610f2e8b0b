// Package antrea orders the policies of a cluster as Antrea enforces them, and resolves their groups and
// appliedTo to pods and networks (antrea.md). It covers tiers, the effective order of all policies including
// Kubernetes', and ClusterGroups and Groups. CheckCluster lists what Antrea's admission would reject.
//
// It reads a model.Cluster and nothing else: the same cluster gives the same answer, and nothing it returns
// may be changed. A group or appliedTo that cannot be resolved selects nothing and has its reason.
//
// It imports the model packages. The engine, ui and cli import it.
package antrea
