// Package trace says what becomes of one connection and why: the answer of the policies stage by
// stage and tier by tier, the answer of the zones' rows beside it, and the row that makes the
// difference if they disagree. JudgePackets puts the outcome of real packets beside both;
// SuggestConnection chooses a connection for a rule. The engine sends the packets (Engine.Probe).
//
// Invariants: a Trace is of one revision and never changes. Every text that names who decides is
// made here, so that screen and command line say the same. An undecided question is named with
// its reason and never guessed. A disagreement is a finding, never a guess which side is right.
// Nothing here waits.
//
// It imports revision, model, and sources/nbdb/remote for the place of a socket; engine, ui and
// cli may import it. An answer may take milliseconds on a large cluster: the console asks off its
// own goroutine.
package trace
