// Package trace explains whether a connection is allowed: the policies' answer stage by stage and tier by
// tier, the answer of the zones' rows, and the row that makes the difference if they disagree. JudgePackets
// compares both with real packets; SuggestConnection chooses a connection for a rule. The engine sends the
// packets (Engine.Probe).
//
// Invariants: a Trace belongs to one revision and never changes. All texts that name a decider are made here,
// so that screen and command line say the same. An undecided question has its reason and is never guessed. A
// disagreement is a finding, never a guess which side is right. Nothing here waits.
//
// It imports revision, model, and sources/nbdb for the place of a socket; engine, ui and cli may import it. An
// answer may take milliseconds on a large cluster: the console asks off its own goroutine.
package trace
