// Package reading reads files that may never answer: a FIFO nobody writes to,
// standard input that never ends, a device, a terminal.
//
// Every wait here ends with a context, the one for a FIFO's writer included. A
// system call that cannot be ended is left behind in a goroutine of its own,
// which closes what it gets; a command that is told to end does not wait for it.
// Where only a regular file makes sense, OpenRegular opens nothing else and does not
// wait at all.
//
// Everything that reads files named by users imports it; it imports nothing of
// Rung.
package reading
