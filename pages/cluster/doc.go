// Package cluster shows Rung's connections: the cluster and the user, the permissions, the state of each
// resource of the API server, and the consequence of each refusal. Off a cluster it shows what is read
// instead.
//
// For each zone it shows how it is read, whether it is in sync, and what is wrong there. Beside the rows it
// shows what the zones' controllers reported about each policy (Ready-In-Zone conditions,
// ovn-kubernetes.md#status-conditions). A report is never proof: "in sync" comes from rows only.
package cluster
