// Package journal has what the files of the state folder have in common that survive a process:
// their names, when one was changed by another process, and where one goes that nobody can read.
//
// Invariant: no file is replaced or removed here.
//
// change/history, change/planrun and change/trial import it; it imports model.
package journal
