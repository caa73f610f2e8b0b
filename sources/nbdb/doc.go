// Package nbdb reads and writes OVN's databases. It keeps a snapshot of one zone's Northbound database current
// and sends transactions to it. It reads Southbound databases by the same client with other rows, and database
// files without a server.
//
// It speaks OVSDB's protocol itself (RFC 7047, monitor_cond of ovsdb-server(7)) instead of using libovsdb's
// client. That client hangs when a server stops reading, and does not report rows deleted while the connection
// was down. It also needs several times the CPU and memory (docs/libovsdb.md). RPCConn is the transport:
// JSON-RPC 1.0, messages of at most MaxMessage, writes with a deadline.
//
// Database files have the standalone or clustered format of ovsdb(5): plain, gzipped, or members of a
// must-gather's tar archive. The records are replayed in order by the same row reader, so a file gives the
// rows its server would give. Every record's hash is checked. A damaged file gives the rows before the damage
// and an error that names the place.
//
// If no port is open, programs in a pod read a zone's databases (ovn-kubernetes.md#zones-and-their-pods). They
// are a relay of the socket (socat, python3) or ovsdb-client, whose snapshots are served to the same client as
// updates. A Runner runs a program there. Transactions are rejected here, so nothing is ever written that way.
// Argument lists are fixed, and every program ends with its stdin or after a fixed time.
//
// Invariants: the sink is called from one goroutine, in order. Every update of a database is in exactly one
// ZoneUpdate, or a Resync follows; updates of one transaction are never split. Connecting is retried forever,
// and every call has a time limit. Text is clean, sets are sorted. Sizes are limited, and memory grows only
// with bytes that were read. Files are never written. Rows are addressed by _uuid only.
//
// It may import the model packages and the tools of sources; engine and sources/sandbox import it.
package nbdb
