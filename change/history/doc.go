// Package history keeps the changes that can be taken back, in a file that several processes
// may share.
//
// Invariants: a number is given once; lines that cannot be read are passed over, counted and
// never thrown away; undo and redo go by the file, whoever wrote it.
//
// change/gate and what stands on it import it; it imports change, change/journal and
// sources/safefile.
package history
