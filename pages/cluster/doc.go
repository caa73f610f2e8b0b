// Package cluster tells the connection to a cluster: where it is and as whom, what may be done there,
// how each resource of the API server is read, and with what consequence something is refused. Off a
// cluster it tells what is read instead.
package cluster
