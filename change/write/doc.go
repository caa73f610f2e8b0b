// Package write makes changes permanent: in the files that policies came from, or through an API server.
//
// Invariants: it touches only what changes; it makes all changes of a set or none, and if reverting fails the
// error says what remains.
//
// engine, ui and cli import it, no other package of change does; it imports change and the sources it writes to.
package write
