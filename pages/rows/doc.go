// Package rows shows the rows of a zone's Northbound database: its ACLs in deciding order, of all owners, its
// address sets and port groups, and how they differ from the compiled rows.
package rows
