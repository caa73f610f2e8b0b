// Package lab starts a zone of real OVN for a test, where its programs are found. Tests of
// every package may import it; the product never does.
package lab
