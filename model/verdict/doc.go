// Package verdict has the types for verdicts about connections: the Connection that is asked
// about, the Answer with each Path and stage, the Decider, runs of ports, the ends of many
// connections.
//
// An Index makes terms and conditions of the policies. One connection is taken through them or
// through the rows of the zones, or all connections at once, by classes of ends that nothing
// tells apart. Package diff finds the effect of a change or another priority.
//
// Invariants, which test/verdicts holds: the verdict from policies is the verdict from the rows
// that compile from them (TestPoliciesAgreeWithRows); a verdict about classes is the verdict
// about each of their connections (TestMatrixIsEveryVerdict, TestDifferIsCompare), with
// addresses outside included (TestOutsideIsEveryAddress).
//
// It imports model; whatever may import model may import it. The compiler does not, and none of
// these packages knows the compiler.
//
// It also takes one connection through the tiers: over its ends, the Services in between
// and the switches on its way, by the terms of an index (FromPolicies, TracePolicies) or, without
// knowing the policies, by the rows of the zones (FromRows, Zone).
//
// A connection that cannot be decided has the verdict Unknown, with the reason; one that no
// policy is asked about has the verdict NotApplicable.
//
// Invariants: a Zone is safe for concurrent use and does not change.
//
// It also makes of a cluster's policies what verdicts are worked out from: terms, each with
// a condition for the source, one for the destination and ports, in the order in which they
// decide; and it settles what the terms that match decide together.
//
// How a network plugin asks them is its Precedence, chosen with the view: Stages is what
// OVN-Kubernetes makes of policies, its known defects included, and names the defect where one
// makes the difference; Antrea follows its documentation (antrea.md#verdicts), and stands in the
// files antrea*.go.
//
// Invariants: an Index belongs to one cluster and never changes, and may be asked from any
// goroutine. Its terms, rules, conditions and ends are for the packages beside it, which only
// read them; all others ask those packages.
//
// It also works out the verdicts of all connections there can be, between classes of
// ends, which meet the same conditions of every rule. The addresses outside are parted by the
// networks that rules name. NewComparison groups the ends of two indexes alike, and Each visits
// the classes whose connections may differ.
//
// Invariants: a verdict about two classes holds for each of their connections. Classes and all
// that is made of them are for one goroutine at a time.
//
// It also says what every rule comes to over all connections: whether it matches, decides and
// matters, and who decides in its place. Findings about rules are made of it.
//
// Invariants: work is counted, not timed, so that the same cluster gives the same audit or the
// same ErrTooLarge.
package verdict
