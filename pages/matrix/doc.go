// Package matrix tells which ends reach which: what a matrix is of, and what its signs mean.
package matrix
