// Package history keeps the changes that can be taken back, in a file that several processes
// may share.
//
// Invariants: a number is given once; lines that cannot be read are passed over, counted and
// never thrown away; undo and redo go by the file, whoever wrote it.
//
// change/gate and what stands on it import it; it imports change, change/journal and
// sources/safefile.
//
// Writes down every change that was made, that failed or that was refused: one
// line of JSON for each.
//
// Invariants: nothing is ever taken out; the line of a change is there before the change is made,
// with room for its outcome; a line that was torn still names the change.
//
// change/gate imports it; it imports change, model and sources/safefile.
//
// Keeps on disk the state of everything that takes more than one step, so that it
// outlives the process: plans, changes on trial, changes of several objects, and the history of
// changes.
//
// A journal is a file of the state folder with a record on each line, as JSON. Unfinished work is a
// Work: its intent is stored before the first step, it is written whole after each, and it is
// removed at the end. Its outcome is a record of the history by then, with the same id. So a kill
// at any moment leaves a Work, which Recover hands to its owner in the next process, or in one that
// runs beside: the owner compares it with the policies and the history, and goes on from there.
//
// Invariants: a reader sees a record whole or not at all, whatever fails or is killed; nothing that
// cannot be read is thrown away; one process at a time works on a Work, by a lock that ends with
// the process. Files of earlier Rungs have the same form and are read as they are.
//
// change/history, change/planrun and change/trial import it; it imports model and sources/safefile.
package history
