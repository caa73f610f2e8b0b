// Package row shows one row of a Northbound database as ovn-nbctl prints it,
// with what is desired beside it where Rung compiles the row, whose it is and
// when it decides in words, its references as links in both directions, and the
// addresses and ports behind it.
//
// It may import what any view may; ui imports it.
package row
