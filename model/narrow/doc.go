// Package narrow proposes the rules that would let through, or deny, some connections and
// no others: peers by the labels that their pods share and others lack, ports as ranges.
//
// Invariants: what a proposal covers beyond the connections it was asked for is all in its
// More; what it does not cover of them is in its Left, with the reason. Labels that a new
// revision of a workload changes select nothing.
//
// It is pure; engine/propose, which writes the rules as text, imports it. It imports model,
// model/overlap and model/verdict.
package narrow
