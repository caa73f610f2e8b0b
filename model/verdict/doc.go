// Package verdict decides connections: one (FromPolicies, FromRows), or all of them, by classes
// of ends that no rule tells apart (NewComparison), or the effect of each rule on all of them
// (NewAudit). Package diff finds what a change does to verdicts.
//
// An Index makes terms of a cluster's policies, in the order in which they decide. Each term
// has a condition for the source, one for the destination, and ports. How a network plugin
// asks the terms is its Precedence: Stages is that of OVN-Kubernetes, with its known defects,
// which it names where one makes the difference. Antrea's follows Antrea's documentation
// (antrea.md#verdicts), in the files antrea*.go. FromRows does not know the policies.
//
// A connection that cannot be decided is Unknown, with the reason. A connection that no policy
// is asked about is NotApplicable.
//
// Invariants, which test/verdicts holds: the verdict from policies is the verdict from the rows
// that compile from them (TestPoliciesAgreeWithRows); a verdict about classes is the verdict
// about each of their connections (TestMatrixIsEveryVerdict, TestDifferIsCompare), with
// addresses outside included (TestOutsideIsEveryAddress). An Index and a Zone never change and
// may be asked from any goroutine; classes belong to one goroutine at a time. An audit counts
// its work and keeps no time, so that the same cluster gives the same audit or ErrTooLarge.
//
// It imports the model; whatever may import the model may import it. The compiler does not,
// and it does not know the compiler.
package verdict
