// Package gate is the one way by which policies are changed. A Mutation becomes a
// Preview with its consequences, and Commit makes the change of a preview that was
// read: it works everything out again that decides whether the change may be made.
//
// Plans and changes on trial stand above it: it asks them through two interfaces
// (PlanRunner, TrialKeeper), and they make each of their steps through it.
//
// Invariants: nothing else changes policies; nothing is written before its line in the
// audit has room; one commit at a time, and nobody waits for a server behind a lock;
// a change is made as it was previewed or not at all; a logging session leaves the level
// as it was, byte for byte, or as others changed it meanwhile, and any process can end it.
//
// It declares what it needs of others (Config). engine, ui, cli, change/planrun and
// change/trial may import it; it imports what is below it in change, revision, sources and model.
package gate
