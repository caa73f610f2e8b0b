// Package history keeps on disk what changes leave behind, so that it outlives the process.
//
//	History  the changes that can be taken back
//	AuditLog a line of JSON for every change made, failed or refused
//	Journal  records of one kind, one JSON line each, shared by several processes
//	Work     a change of several steps: plans, changes on trial, changes of several objects
//
// The intent of a Work is stored before its first step. The Work is written whole after each step
// and removed at the end, when the history has its outcome under the same id. A kill leaves a Work,
// which Recover hands to its owner in the next process or in one that runs beside. The owner
// compares it with the policies and the history, and goes on from there.
//
// Invariants: a number is given once. A reader sees a record whole or not at all, and lines that
// cannot be read are counted and never thrown away. An audit line is there before its change, with
// room for the outcome; a torn line still names the change. One process at a time works on a Work,
// by a lock that ends with the process. Undo and redo go by the file, whoever wrote it. Files of
// earlier releases have the same form.
//
// change/gate, change/planrun and change/trial import it; it imports change, sources/files and model.
package history
