// Package cluster tells how Rung is connected: where the cluster is and as whom, what may be done
// there, how each resource of the API server is read, and the consequence of each refusal. Off a
// cluster it tells what is read instead.
//
// It tells of each zone how it is read, whether it is in sync, and what is wrong there. Beside the
// rows it tells what the zones' controllers reported of each policy (Ready-In-Zone conditions,
// ovn-kubernetes.md#status-conditions). A report is never proof: in sync comes from rows only.
package cluster
