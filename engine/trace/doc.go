// Package trace says of one connection what becomes of it and why, for console and
// command line alike: the answer of the policies stage by stage and tier by tier, the
// answer of the zones' rows beside it, and, where the two disagree, which row makes the
// difference.
//
// Invariants: a Trace is of one revision and never changes; every text that names who
// decides is made here, so that screen and command line say the same; what cannot be
// decided is told with its reason and never guessed.
//
// It imports revision, model, and of sources/nbdb/remote where a socket is; ui and cli may
// import it. Asking may take milliseconds on a large cluster, so the console asks off its own
// goroutine.
//
// Judges a connection by packets, beside the verdicts of the zones' rows and
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
package trace
