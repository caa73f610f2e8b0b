// Package statedir is the state folder: who may read it, and the files in it that are
// no history and no audit: texts being edited, saved pages, Rung's own log.
//
// Invariants: what is written is the user's alone, and whole or not at all; no file that
// is there already is written over.
//
// engine, ui and cli may import it; it imports sources/safefile.
package statedir
