// Package revision holds what Rung reads: one immutable state of everything it knows. It
// answers the questions about that state: what selectors select, the ladder, desired rows
// beside live ones, verdicts, findings, and who may connect to whom.
//
// Invariants: a Revision never changes and is read without a lock. Costly parts are worked
// out once, when first asked for, and handed on to later revisions of the same objects. New
// is the only constructor; WithPolicies returns the revision as it will be after a change.
// Missing data is called missing, never taken for agreement. A number that two pages show is
// counted here, once. Counts are over every connection, never over a sample.
//
// It knows no loop, no writer and no screen. Everything above may import it; it imports the
// model, the compiler and, for the settings of OVN-Kubernetes, the sources that read them.
package revision

//go:generate go test . -run TestFindingsDoc -update
