// Package rows shows the rows of one zone: its ACLs in the order in which they
// decide (stage, tier, priority), whoever owns them and however they are
// written, its address sets and its port groups. Rows that share a priority are
// marked, as are rows that decide even after an egress Allow, and rows that nothing
// holds; a match that cannot be taken apart is shown as it stands. Differences
// from the desired rows are marked, and desired rows that are missing stand where
// they belong.
//
// It may import what any view may; ui imports it.
package rows
