// Package flows answers questions about OVN's side of the rows: the logical flows of an ACL,
// how far northd and the nodes have followed, and ovn-trace's answers beside those of the
// rows.
//
// Invariants: data that was not read is said to be missing, never taken for agreement. It
// imports revision, revision/liverows and model. revision/finding, the engine, pages, ui and
// cli may import it.
package flows
