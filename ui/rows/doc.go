// Package rows shows the rows of one zone: its ACLs in order of precedence (stage, tier, priority), whoever
// owns them, its address sets and its port groups. It marks rows of equal priority, rows that decide even
// after an egress Allow, and rows without a holder. It also marks differences from the desired rows, and shows
// missing rows in their place.
//
// The page of a row shows it as ovn-nbctl prints it beside the desired one, its owner, its stage, tier and
// priority, its references in both directions, and its addresses and ports. The page of a rule shows its text,
// its ACLs beside the live rows of a zone, and its match term by term.
//
// See package ui for the rules of views.
package rows
