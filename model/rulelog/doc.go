// Package rulelog switches the logging of policies whose rules log one by one, each by a field of
// its own, and gives it back: what a logging session set, rule by rule, and what was there before.
//
// Invariants: a tree that is given is never changed; what a session did not set, or somebody else set
// since, is never given back.
//
// change/rewrite makes policies of its trees; everything that tells of logging asks it.
package rulelog
