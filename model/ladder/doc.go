// Package ladder is the precedence ladder: every policy and unit in the order in which
// they decide, whole or for one stage of the pipeline, with gaps, duplicates and the
// conflicts among rules of one priority.
//
// Invariant: a Ladder is worked out from a cluster alone and does not change.
//
// Place and Band are for plugins whose policies stand in tiers of their own, which fill them.
//
// It imports model and model/overlap; whatever may import model may import it.
package ladder
