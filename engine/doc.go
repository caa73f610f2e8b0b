// Package engine is the console without a screen. It runs the sources, the
// compiler and the reconcilers, joins desired with live rows, holds the current
// revision, and is the one gate through which every change goes.
//
// Invariants: a Revision never changes, and reading it waits for no writer; what is
// costly about it is worked out once, by whoever asks first, and others who ask
// meanwhile wait for that. Nothing but the gate (Preview, then Commit) changes
// policies, and it checks read-only mode, validation, guard rails and confirmation
// and writes the audit line; nobody holds a mutex while a server is asked something.
// Object state is delivered always and coalesced, log lines may be dropped and are
// counted then. Every goroutine and timer ends with Close.
//
// It may import everything below it (compiler, reconciler, sources, model);
// ui and cli import it.
package engine
