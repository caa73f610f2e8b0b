// Package antrea says in which order the policies of a cluster decide where Antrea
// enforces them, and which pods and networks their groups and appliedTo stand for
// (antrea.md): tiers, static and custom; the effective order of all policies, those of
// Kubernetes among them; the members of ClusterGroups and Groups. CheckCluster lists what
// Antrea's admission would refuse.
//
// It reads a model.Cluster and nothing else: the same cluster gives the same answer, and
// nothing it returns may be changed. A group or appliedTo that cannot be resolved has its
// reason beside it and stands for nothing.
//
// It imports the model packages. The engine, ui and cli import it.
package antrea
