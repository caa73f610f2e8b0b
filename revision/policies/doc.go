// Package policies answers how policies stand: their state over all zones, their logging and
// its cost, the pods they mean, the reports of controllers, and how many are in sync.
//
// Invariants: it asks a revision and keeps its results in revision.SharedValue only; a number that
// two pages show is counted here, once. It imports revision, revision/liverows and model. The
// gate, the engine, pages, ui and cli may import it.
package policies
