// Package policies answers how policies stand: their state over all zones, what they log and
// what that costs, which pods they mean, what controllers reported, and how many are in sync.
//
// Invariants: it asks a revision and keeps nothing but what revision.Shared keeps; a number
// that two pages show is counted here, once. It imports revision, revision/liverows and model.
// The gate, the engine, pages, ui and cli may import it.
package policies
