// Package write makes changes last: in the files that policies came from, or through an API
// server.
//
// Invariants: only what changes is touched; all changes of a set are made or none, and where
// putting back fails the error says what stands.
//
// engine, ui and cli import it, and no other package of change; it imports change and the
// sources it writes to.
package write
