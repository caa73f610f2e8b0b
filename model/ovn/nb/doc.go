// Package nb holds the row types of the OVN Northbound database that Rung reads and writes, their
// external_ids, the hashed object names, and an immutable snapshot of one database.
//
// Invariants: a row never changes after it was handed out; a DB never changes, Apply makes the next one and
// shares unchanged parts. The types are independent of the wire format: sources/nbdb translates.
//
// This package is a leaf: it imports no other package of Rung, and every package may import it.
package nb
