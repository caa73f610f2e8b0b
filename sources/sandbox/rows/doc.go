// Package rows makes the rows of a zone that OVN-Kubernetes' other handlers would
// make: the first ones of a node, a pod's port, the ids of a namespace's port group,
// the switches, ports and groups of networks besides the default one, tier 0, the lab's routers.
// The sandbox's keeper writes them, and the OVN lab its first ones and its routers. It also
// makes the file of a database without rows.
//
// Invariant: it only makes operations and bytes; nothing is read or written here.
//
// It may import the model packages; only the sandbox's packages import it.
package rows
