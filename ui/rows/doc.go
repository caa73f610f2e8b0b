// Package rows shows the rows of one zone: its ACLs in the order in which they
// decide (stage, tier, priority), whoever owns them, its address sets and its
// port groups. What differs from the desired rows is marked, and desired rows
// that are missing stand where they belong.
//
// It may import what any view may; ui imports it.
package rows
