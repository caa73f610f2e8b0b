// Package audit says what every rule comes to over all connections: whether it matches, decides and
// matters, and who decides in its place. Findings about rules are made of it.
//
// Invariants: work is counted, not timed, so that the same cluster gives the same audit or the
// same ErrTooLarge.
package audit
