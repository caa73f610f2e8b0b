// Package revision holds one immutable state of everything Rung has read. It answers questions about that
// state: what selectors select, the ladder, desired rows beside live rows, verdicts, findings, and who may
// connect to whom.
//
// Invariants: a Revision never changes and is read without a lock. Costly parts are computed once, when first
// asked for, and shared with later revisions of the same objects. New is the only constructor; WithPolicies
// returns the revision as it will be after a change. Missing data is reported as missing, never taken for
// agreement. A number that two pages show is counted here, once. Counts are over every connection, never over
// a sample.
//
// It has no loop, no writer and no screen. It imports the model, the compiler and, for the settings of
// OVN-Kubernetes, the sources that read them. Everything above may import it.
package revision

//go:generate go test . -run TestFindingsDoc -update
