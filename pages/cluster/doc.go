// Package cluster shows Rung's connections: the cluster and the user, the permissions, the state of each
// resource of the API server, and the consequence of each refusal. Off a cluster it shows the files or
// databases instead.
//
// For each zone it shows the connection, the sync state and faults. Beside the rows it shows the zones'
// reports about each policy (Ready-In-Zone conditions, ovn-kubernetes.md#status-conditions). A report is never
// proof: "in sync" follows from rows alone.
package cluster
