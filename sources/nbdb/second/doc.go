// Package second reads a zone's Northbound database once more, through libovsdb, the
// client that OVN-Kubernetes itself uses, and holds what that reads row by row against
// what Rung's own client reads. It shares no code of reading with sources/nbdb.
//
// libovsdb runs in a child process, Rung's own binary (RunChild), since its client hangs on
// a server that stops reading and panics on what some servers send (docs/libovsdb.md).
// The child knows a local socket and nothing else: what listens there is this process,
// which passes bytes to and from the zone's database, whatever the way to it is.
//
// Invariants: nothing is written: of what the child sends only the requests of a reader
// pass; a child reads once and ends, with its parent or by its deadline; bytes from the
// server and the child's memory are bounded; a difference that stays is never left out,
// but at most so many are told one by one; text is clean.
//
// It may import the model packages and its own northbound; engine imports it.
//
// It also has libovsdb's models of the tables and columns of OVN_Northbound
// that Rung reads, and connects libovsdb's client with them. libovsdb's generator made
// them of the schema; they lack its accessors.
//
// Invariants: a model has the columns that model/ovn/nb reads, which TestModels of
// sources/nbdb/second holds; their types are checked by libovsdb against the schema of
// the server when it connects.
//
// sources/nbdb/second and tests import it.
package second
