// Package write makes the API object of a policy from its normal form: of what was made by hand,
// proposed or converted, and has no text yet.
//
// Invariants: what comes was read again by sources/manifests and says the same; what the API has
// no field for is an error, never left out.
//
// It imports model and sources/manifests. engine's rooms that make policies import it.
package write
