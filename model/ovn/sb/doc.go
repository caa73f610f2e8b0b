// Package sb holds the rows of the OVN Southbound database that Rung reads, and an
// immutable snapshot of them: the logical flows of the ACL stages, the datapaths they
// are for, and how far the chassis are. Rung never writes there.
//
// Invariants: a row is never changed after it was handed out; a DB is never changed,
// Apply makes the next one and shares what stayed; of Logical_Flow only rows of the
// stages in ACLStages are in it. The types know nothing of the wire: sources/nbdb
// translates.
//
// This package imports model/sorted only, and everybody may import it.
package sb
