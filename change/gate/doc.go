// Package gate is the only way to change policies. It turns a Mutation into a Preview with its consequences.
// Commit makes the change of a preview that was read, after working out again everything that decides whether
// it may be made.
//
// Plans and trials are above it: it asks them through two interfaces (PlanRunner, TrialKeeper), and they make
// each step through it.
//
// Invariants: nothing else changes policies; nothing is written before its audit line has room; one commit at
// a time, and no lock is held while a server answers; a change is made as previewed or not at all. A logging
// session restores the former level byte for byte, unless others changed it meanwhile, and any process can end
// it.
//
// Config declares what it needs. engine, ui, cli, change/planrun and change/trial may import it; it imports
// revision, sources, model and the packages of change below it.
package gate
