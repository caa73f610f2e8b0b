// Package walk takes one connection through the tiers: over its ends, the Services in between
// and the switches on its way, by the terms of an index (FromPolicies, TracePolicies) or, without
// knowing the policies, by the rows of the zones (FromRows, Zone).
//
// A connection that cannot be decided has the verdict Unknown, with the reason; one that no
// policy is asked about has the verdict NotApplicable.
//
// Invariants: a Zone is safe for concurrent use and does not change.
package walk
