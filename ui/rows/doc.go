// Package rows shows the rows of one zone: its ACLs in the order in which they
// decide (stage, tier, priority), whoever owns them and however they are
// written, its address sets and its port groups. Rows that share a priority are
// marked, as are rows that decide even after an egress Allow, and rows that nothing
// holds; a match that cannot be taken apart is shown as it stands. Differences
// from the desired rows are marked, and desired rows that are missing stand where
// they belong.
//
// It may import what any view may; ui imports it.
//
// Shows one row of a Northbound database as ovn-nbctl prints it,
// with what is desired beside it where Rung compiles the row, whose it is and
// when it decides in words, its references as links in both directions, and the
// addresses and ports behind it.
//
// It may import what any view may; ui imports it.
//
// Shows one rule of a policy: what it says, the ACLs it compiles to
// beside the live rows of one zone with every difference marked, the match
// explained term by term, and what all that means in words.
//
// It may import what any view may; ui imports it.
package rows
