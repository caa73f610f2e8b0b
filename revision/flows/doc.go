// Package flows answers what OVN makes of the rows: the logical flows of an ACL, how far
// northd and the nodes have followed, and what ovn-trace says beside the rows.
//
// Invariants: what was not read is said, never taken for agreement. It imports revision,
// revision/liverows and model. revision/finding, the engine, pages, ui and cli may import it.
package flows
