// Package statedir is the state folder: its permissions, and its files except history and audit: texts being
// edited, saved pages, Rung's own log.
//
// Invariants: only the user can read its files, and they are written completely or not at all. Existing files
// are not overwritten.
//
// engine, ui and cli may import it; it imports sources/files.
package statedir
