// Package verdict has the types for verdicts about connections: the Connection that is asked
// about, the Answer with each Path and stage, the Decider, runs of ports, the ends of many
// connections.
//
// The packages below it answer: index makes terms and conditions of the policies, walk takes
// one connection through them or through the rows of the zones, matrix takes all connections at
// once, by classes of ends that nothing tells apart, diff finds the effect of a change or
// another priority on them, and audit the effect of each rule. Each imports the packages named
// before it, and no other.
//
// Invariants, which test/verdicts holds: the verdict from policies is the verdict from the rows
// that compile from them (TestPoliciesAgreeWithRows); a verdict about classes is the verdict
// about each of their connections (TestMatrixIsEveryVerdict, TestDifferIsCompare), with
// addresses outside included (TestOutsideIsEveryAddress).
//
// It imports model; whatever may import model may import it. The compiler does not, and none of
// these packages knows the compiler.
package verdict
