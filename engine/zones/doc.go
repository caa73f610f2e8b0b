// Package zones has the zones of an engine: which there are, followed over one connection
// each or swept (read now and then), their reconcilers, and how they were judged.
//
// Invariants: a Set is the loop's alone but for what locks itself; what reads and judges
// runs beside the loop and hands over what it found; a zone that is not followed keeps its
// judgement and not its rows; a change and "in sync" never stand side by side because a
// zone was not looked at yet.
//
// The engine and its parts that need zones import it; it imports engine/loop,
// engine/ownership, reconciler, and sources/nbdb for the zones given by address.
package zones
