// Package memdb is an OVSDB database in memory: the operations of RFC 7047 §5.2 on
// typed rows, with everything ovsdb-server checks and mends at the end of a
// transaction: references, rows that nobody refers to any more, weak references to rows
// that went, indexes, sizes.
//
// It stands in for libovsdb's database/inmemory, which was tried first: it takes
// numbers that the schema rules out, panics at a division by zero, and a transaction
// that is refused leaves its count of references wrong, so that ACLs outlive their port
// groups (docs/libovsdb.md). This package gives the same answers as a real ovsdb-server
// to the same random transactions.
//
// Invariants: a row is never changed once it is in the database; a transaction that
// fails leaves no trace; nothing in a request can make it panic. It lacks: locks,
// waiting (a wait that does not hold now fails now), conditions on monitors,
// persistence.
//
// It imports only sources/nbdb/jsonrpc; only sources/sandbox imports it.
package memdb
