// Package rows tells the rows of a zone's Northbound database: its ACLs in the order in
// which they decide, whoever owns them and however they are written, its address sets and
// its port groups, each with what it differs in from the desired rows.
//
// Tells how the rows of zones differ from what the policies compile to.
package rows
