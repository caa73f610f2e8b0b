// Package tenure keeps who had an address when: a pod's address is given to another pod
// soon after it went, and a log line must not be blamed on the one that has it now.
//
// Invariants: pure; what is kept of the past is bounded, what was forgotten is counted
// and answers say when it may matter; no answer names an object for a time before it
// was created.
//
// It imports only packages of model and may be imported by all that may import those.
package tenure
