// Package rows shows the rows of one zone: its ACLs in the order in which they decide (stage,
// tier, priority), whoever owns them, its address sets and its port groups. Rows of equal priority,
// rows that decide even after an egress Allow, and rows without a holder are marked. Differences
// from the desired rows are marked, and missing rows are shown where they belong.
//
// A row has a page: the row as ovn-nbctl prints it beside the desired one, its owner, when it
// decides, its references in both directions, and the addresses and ports behind it. A rule has a
// page: its text, its ACLs beside the live rows of a zone, and its match term by term.
//
// See package ui for the rules of views.
package rows
