// Package nbdb connects to OVN's databases: it keeps a snapshot of one zone's
// Northbound database current and sends transactions to it, and it reads Southbound
// databases (Southbound) by the same client, of which what is kept of the rows, contents,
// is the only part that differs.
//
// It speaks OVSDB's protocol (RFC 7047, and monitor_cond of ovsdb-server(7))
// itself, over sources/nbdb/jsonrpc, and not through libovsdb's client: a server
// that stops reading hangs that client for ever, it never tells of rows that went
// while the connection was down, nor where a transaction ends, and it needs several
// times the CPU and memory (docs/libovsdb.md).
//
// Invariants: the sink is called from one goroutine, in order; every update of
// the database is in exactly one ZoneUpdate, or a Resync follows; the updates
// of one transaction are never split; a connection is tried for ever; no call
// to a server is without a time limit; text is clean, sets are sorted; what a row
// holds is what the server says it holds: that it is what was written is found by
// comparing bytes, and saves the decoding (written). Rows are addressed by _uuid only.
//
// It may import the model packages, the tools of sources and its own jsonrpc; engine and
// sources/sandbox import it.
package nbdb
