// Package nb holds the row types of the OVN Northbound database that Rung
// reads and writes, the external_ids they carry, the hashed object names, and
// an immutable snapshot of one database.
//
// Invariants: a row is never changed after it was handed out; a DB is never
// changed, Apply makes the next one and shares what stayed. The types know
// nothing of the wire: sources/nbdb translates.
//
// This package is a leaf: it imports no other package of Rung and everybody may
// import it.
package nb
