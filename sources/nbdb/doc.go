// Package nbdb reads and writes OVN's databases. It keeps a snapshot of one zone's Northbound
// database current and sends transactions to it. It reads Southbound databases by the same client
// with other rows (contents), and database files without a server.
//
// It speaks OVSDB's protocol itself (RFC 7047, monitor_cond of ovsdb-server(7)) and not through
// libovsdb's client, which hangs when a server stops reading, does not report rows that went
// while the connection was down, and needs several times the CPU and memory (docs/libovsdb.md).
// RPCConn is the transport: JSON-RPC 1.0, messages of at most MaxMessage, writes with a deadline.
//
// Database files are the standalone and the clustered format of ovsdb(5), plain, gzipped, or
// members of a tar archive as a must-gather brings them. The records are replayed in order by the
// same row reader, so a file gives the rows its server would give. Every record's hash is checked.
// A damaged file gives the rows before the damage and an error that names the place.
//
// Programs in a pod read a zone's databases where no port is open
// (ovn-kubernetes.md#zones-and-their-pods): a relay of the socket (socat, python3), else
// ovsdb-client, whose snapshots are served to the same client as updates. A Runner runs a program
// there. No write is ever sent that way: transactions are refused here. Argument lists are fixed,
// and every program ends with its stdin or after a fixed time.
//
// Invariants: the sink is called from one goroutine, in order. Every update of a database is in
// exactly one ZoneUpdate, or a Resync follows; updates of one transaction are never split. A
// connection is tried for ever, and every call has a time limit. Text is clean, sets are sorted.
// Sizes are bounded, and memory grows only with bytes that were read. Files are never written.
// Rows are addressed by _uuid only.
//
// It may import the model packages and the tools of sources; engine and sources/sandbox import it.
package nbdb
