// Package probe judges a connection by packets, beside the verdicts of the zones' rows and
// of the policies: JudgePackets puts the three together, and says in plain words where they
// disagree. SuggestConnection chooses a connection that a rule is about.
//
// The engine sends the packets (Engine.Probe) and hands over their outcome.
//
// Invariants: nothing here does I/O or waits; the three answers of a Result have the same
// paths with the same stages; a disagreement is a finding, never a guess which side is
// right.
//
// engine, ui and cli may import it; it imports trace, revision and model.
package probe
