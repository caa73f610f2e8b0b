// Package matrix shows which ends can connect: the sources and destinations of a matrix, the meaning of its
// signs, and by workload the ports of each connection and the deciding rules.
package matrix
