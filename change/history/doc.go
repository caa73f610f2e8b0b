// Package history keeps the records of changes on disk, where they outlive the process.
//
//	History  changes that can be undone
//	AuditLog a line of JSON for every change made, failed or refused
//	Journal  records of one kind, one JSON line each, shared by several processes
//	Work     a change of several steps: plans, changes on trial, changes of several objects
//
// A Work is stored before its first step, rewritten whole after each step, and removed at the end, when the
// history has its outcome under the same id. After a kill, Recover passes the Work to its owner in the next
// process, or in a running one. The owner compares it with the policies and the history, and continues from
// there.
//
// Invariants: a number is used once. Readers see a record whole or not at all; unreadable lines are counted
// and never discarded. An audit line is written before its change, with room for the outcome; a torn line
// still names the change. One process at a time works on a Work, by a lock that ends with the process. Undo
// and redo go by the file, whoever wrote it. Files of earlier releases have the same form.
//
// change/gate, change/planrun and change/trial import it; it imports change, sources/files and model.
package history
