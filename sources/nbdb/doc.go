// Package nbdb connects to OVN's databases: it keeps a snapshot of one zone's Northbound
// database current and sends transactions to it, and it reads Southbound databases
// (Southbound) by the same client, which differs only in the rows it keeps (contents).
//
// It speaks OVSDB's protocol (RFC 7047, and monitor_cond of ovsdb-server(7)) itself, over
// sources/nbdb/jsonrpc, and not through libovsdb's client: a server that stops reading
// hangs that client for ever, it never tells of rows that went while the connection was
// down, nor where a transaction ends, and it needs several times the CPU and memory
// (docs/libovsdb.md).
//
// Invariants: the sink is called from one goroutine, in order; every update of the database
// is in exactly one ZoneUpdate, or a Resync follows; the updates of one transaction are
// never split; a connection is tried for ever; no call to a server is without a time limit;
// text is clean, sets are sorted; a row holds the values that the server sent: where they
// equal the bytes of a write, they are not decoded again (written). Rows are addressed by
// _uuid only.
//
// It may import the model packages, the tools of sources and its own jsonrpc; engine and
// sources/sandbox import it.
//
// Is the transport of OVSDB (RFC 7047 §4): JSON-RPC 1.0 objects,
// one after another without a delimiter, over a byte stream. It cuts the stream
// into messages, reads values in one pass without reflection, and writes with a
// deadline, so that a peer that stopped reading can never hold a writer.
//
// Invariants: a message is never longer than MaxMessage; text is returned as it
// came, cleaning it is the caller's duty; nothing here starts a goroutine.
//
// It is a leaf; only sources/nbdb, the packages below it and sources/sandbox
// import it.
//
// Reads OVSDB database files without a server: the standalone and
// the clustered format of ovsdb(5), plain, compressed with gzip, or members of a
// tar archive, as a must-gather brings them. It finds them in folders, and makes
// a zone of one that is watched and never written. Southbound databases are read
// alike, as far as model/ovn/sb has their rows.
//
// The records of a file are replayed in order, each as a whole or not at all,
// with the row reader of sources/nbdb: a file gives the rows its server would
// give. Of a clustered file the entries count that it says are committed.
//
// Invariants: every record's hash is checked before it counts; a file that is
// damaged gives the rows of the records before the damage together with an error
// that names the place; sizes are bounded, and memory grows only with bytes that
// were really read; nothing is ever written.
//
// It may import the model packages, sources/nbdb and its jsonrpc; engine imports
// it.
package nbdb
