// Package matrix tells which ends reach which: the sources and targets of a matrix, the meaning
// of its signs, and by workload the ports of each connection and who decides about it.
package matrix
