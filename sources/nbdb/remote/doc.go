// Package remote reads a zone's databases, Northbound and Southbound, with programs that run
// beside it, for example through pods/exec in the zone's ovnkube-node pod, where
// no port is open (ovn-kubernetes.md#zones-and-their-pods). It never writes.
//
// A Runner runs a program there. Which way is taken depends on what the image
// has, the best first: a relay of the socket (socat, python3), over which
// sources/nbdb speaks as over a socket of its own; else ovsdb-client, whose
// "query" gives consistent snapshots and whose "monitor-cond" says when to take
// the next one. In that case this package plays the server towards
// sources/nbdb: it answers from snapshots and sends what differs between two.
// Cache, silence, back-off, sharing and the check of the zone's name are
// sources/nbdb's either way.
//
// Invariants: no write is ever sent: transactions are refused here, and queries
// are run by "ovsdb-client query", which refuses them there; argument lists are
// fixed, and the path of the socket is an argument of its own, never text of a
// program; every program ends when its stdin does or after a fixed time, so that
// a cut connection leaves nothing behind in the pod; no wait is without a limit.
//
// It may import the model packages, sources/nbdb and its jsonrpc; engine imports
// it.
package remote
