// Package cluster tells the connection to a cluster: where it is and as whom, what may be done there,
// how each resource of the API server is read, and with what consequence something is refused. Off a
// cluster it tells what is read instead.
//
// Tells the zones: how each is read, what is in sync there, and what is wrong
// at it.
//
// Tells what the controllers of all zones reported of each policy (the
// Ready-In-Zone conditions, ovn-kubernetes.md#status-conditions) beside what the rows
// there say. A report is never proof: in sync comes from rows only.
package cluster
