// Package rows tells the rows of a zone's Northbound database: its ACLs in the order in which
// they decide, whoever owns them, its address sets and its port groups, and how they differ from
// the rows that the policies compile to.
package rows
