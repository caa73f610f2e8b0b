// Package verdict decides connections: one (FromPolicies, FromRows), or all of them by classes of ends that no
// rule tells apart (NewComparison). NewAudit finds the effect of each rule on all connections. Package diff
// finds how a change affects verdicts.
//
// An Index compiles a cluster's policies to terms, in deciding order. Each term has a condition for the
// source, one for the destination, and ports. A Precedence says how a network plugin applies the terms. Stages
// is that of OVN-Kubernetes; it names a known defect if that makes the difference. Antrea follows Antrea's
// documentation (antrea.md#verdicts), in the files antrea*.go. FromRows does not use the policies.
//
// A connection that cannot be decided is Unknown, with the reason. A connection to which no policy applies is
// NotApplicable.
//
// Invariants, which test/verdicts checks: the verdict from policies is the verdict from the rows compiled from
// them (TestPoliciesAgreeWithRows); a verdict about classes is the verdict about each of their connections
// (TestMatrixIsEveryVerdict, TestDifferIsCompare), outside addresses included (TestOutsideIsEveryAddress). An
// Index and a Zone never change and are safe for concurrent use; classes belong to one goroutine at a time. An
// audit counts its work instead of its time, so that the same cluster gives the same audit or ErrTooLarge.
//
// It imports only the model. The compiler does not import it, and it does not import the compiler.
package verdict
