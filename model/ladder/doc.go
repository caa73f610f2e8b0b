// Package ladder is the precedence ladder: every policy and unit in deciding order, for all stages or one,
// with gaps, duplicates and conflicts among rules of equal priority.
//
// Invariant: a Ladder is computed from a cluster alone and does not change.
//
// Place and Band serve plugins with their own tiers, which fill them in.
//
// It imports model and model/selectors; every package that may import model may import it.
package ladder
