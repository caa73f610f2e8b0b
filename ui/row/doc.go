// Package row shows one row of a Northbound database as ovn-nbctl prints it,
// with what is desired beside it where Rung compiles the row, its references as
// links in both directions, and the addresses and ports behind it.
//
// It may import what any view may; ui imports it.
package row
