// Package narrow proposes the rules that would let through, or deny, some connections and
// no others: peers by the labels that their pods share and others lack, ports as ranges.
//
// Invariants: connections that a proposal was asked for and does not cover are in its Left,
// with the reason. A peer is every pod of a namespace that has the labels of one that was
// asked for, and no other. Labels that a new revision of a workload changes select nothing.
// Other connections that the rules let through or deny are not told here: that takes
// verdicts (diff.WantedVerdict).
//
// It is pure; engine/propose, which writes the rules as text, imports it. It imports model,
// model/overlap and model/verdict.
package narrow
