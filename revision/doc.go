// Package revision holds what Rung reads: one immutable state of everything it knows, with
// the consequences of the objects alone: the pods that selectors select, the ladder, the
// desired rows, verdicts.
//
// Invariants: a Revision never changes and is read without a lock. Costly parts are worked
// out once, when first asked for, and handed on to later revisions of the same objects. New
// is the only constructor; WithPolicies returns the revision as it will be after a change, and that
// revision answers the same questions. The questions are functions of the packages below:
// policies, liverows, flows, finding, connections, omitted. They keep what they worked out
// in the revision (SharedValue, CarriedValue), which knows none of them.
//
// It knows no loop, no writer and no screen. Everything above may import it; it imports
// settings, model and the compiler.
package revision
