// Package matrix tells which ends reach which: what a matrix is of, and what its signs mean.
//
// Tells what may connect to what, by workload: at which ports, and who decides.
package matrix
