// Package second reads zones once more through libovsdb, and says how what it reads
// differs from what Rung's own client has.
//
// Invariants: it is an optional room, which the engine does not import; libovsdb runs in a
// child process, and nothing is written.
//
// cli imports it; it imports engine/zones, revision and sources/nbdb/second.
package second
