// Package tenure keeps the holders of addresses over time: a pod's address is given to
// another pod soon after it went, and a log line must not be blamed on the one that has
// it now.
//
// Invariants: pure; the tenures that ended and are kept are bounded, forgotten ones are
// counted and answers say when they may matter; no answer names an object for a time
// before it was created.
//
// It imports only packages of model and may be imported by all that may import those.
package tenure
