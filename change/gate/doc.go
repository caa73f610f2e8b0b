// Package gate is the one way by which policies are changed. A Mutation becomes a
// Preview with its consequences, and Commit makes the change of a preview that was
// read: it works everything out again that decides whether the change may be made.
//
// Here are guard rails, history and undo, the audit, plans that move policies step by
// step, and the writers: files, an API server.
//
// Invariants: nothing else changes policies; nothing is written before its line in the
// audit has room; one commit at a time, and nobody waits for a server behind a lock;
// a change is made as it was previewed or not at all; one process runs the plan of a
// state folder at a time, and asks nothing on the way; what undo and redo are about is
// what the file says, whoever wrote it; a change on trial is put back unless it is
// confirmed, whatever becomes of its process, and what others changed meanwhile is not; a
// logging session leaves the level as it was, byte for byte, or as others changed it
// meanwhile, and any process can end it.
//
// It declares what it needs of others (Writer, Config, PlanConfig, RevertConfig). engine, ui and cli
// may import it; it imports revision, source, model and the sources it writes to.
package gate
