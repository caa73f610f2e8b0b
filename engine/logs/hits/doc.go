// Package hits counts what rules decided by the log lines they wrote: hits of each rule,
// and of each pair of ends, since the counting began and over the last minutes.
//
// Invariants: memory is bounded, and what finds no room is counted all the same; the
// order in which lines come changes no number, so counts of parts add up to the count of
// the whole; what is read back from a file is checked before it counts.
//
// engine, ui and cli may import it; it imports model.
package hits
