// Package probe is what packets say of a connection, beside what the zones' rows and the
// policies say: Judge puts the three together, and says in plain words where they
// disagree. Suggest chooses a connection that a rule is about.
//
// The engine sends the packets (Engine.Probe) and hands over what became of them.
//
// Invariants: nothing here does I/O or waits; the three answers of a Result have the same
// paths with the same stages; a disagreement is a finding, never a guess which side is
// right.
//
// engine, ui and cli may import it; it imports trace, revision and model.
package probe
