// Package walk takes one connection through the tiers: over its ends, the Services in between and
// the switches on its way, by the terms of an index (FromPolicies, Trace) or, without knowing the
// policies, by the rows of the zones (FromRows, Zone).
//
// What cannot be decided is a verdict of its own, Unknown, with its reason; so is NotApplicable,
// where no policy is asked.
//
// Invariants: a Zone is safe for concurrent use and does not change.
package walk
