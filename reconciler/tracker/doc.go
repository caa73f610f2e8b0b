// Package tracker knows per policy and row of one zone how the live rows differ from the desired
// ones, follows both step by step (Tracker), and gives the fewest OVSDB operations between them
// (OpsBuilder). A Differ runs it once, on rows that were read and are not kept.
//
// Invariants: it is plain memory, without a clock and without I/O; the differences after any
// sequence of steps are those of a tracker that saw only the last state; whose a row is says its
// owner (OwnerOfRow), and only rows of Rung's owner types get operations.
//
// It imports compiler and the model packages; reconciler and engine import it.
package tracker
