// Package servers makes the database servers of zones fail: real ones by signals, built-in ones by the listener
// that a sandbox gets from Listen.
//
// It signals only the process that listens on a given socket. A built-in server keeps its rows. It starts no
// goroutine.
//
// Only tests import it.
package servers
