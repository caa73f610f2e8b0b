// Package nbdb connects to OVN Northbound databases: it keeps a snapshot of one
// zone's database current and sends transactions to it.
//
// It speaks OVSDB's protocol (RFC 7047, and monitor_cond of ovsdb-server(7))
// itself, over sources/nbdb/jsonrpc, and not through libovsdb's client: that
// client writes without a deadline while it holds its own lock, so a stopped
// server can hold it for ever; it drops cache events without a word when 65,536
// are waiting; its reconnect panics when the back-off ends; and it keeps a
// second copy of every row.
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
