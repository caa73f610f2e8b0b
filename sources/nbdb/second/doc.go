// Package second reads a zone's Northbound database a second time, through libovsdb, the client of
// OVN-Kubernetes itself, and compares it row by row with what Rung's own client reads. It shares no reading
// code with sources/nbdb.
//
// libovsdb runs in a child process, Rung's own binary (RunChild), since its client hangs on a server that
// stops reading and panics on what some servers send (docs/libovsdb.md). The child knows only a local socket.
// This process listens there and passes bytes to and from the zone's database, however it is reached.
//
// Invariants: nothing is written, since only a reader's requests of the child pass. A child reads once and
// ends, with its parent or by its deadline. Bytes from the server and the child's memory are limited. A
// lasting difference is never omitted, but only a limited number is listed. Text is clean.
//
// It also has libovsdb's models of the OVN_Northbound tables and columns that Rung reads. libovsdb's generator
// made them from the schema; they lack its accessors. A model has the columns that model/ovn/nb reads
// (TestModels). libovsdb checks their types against the server's schema when it connects.
//
// It may import the model packages; engine imports it.
package second
