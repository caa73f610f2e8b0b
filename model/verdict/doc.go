// Package verdict has the words for who decides about a connection: the Connection that is asked
// about, the Answer with each Path and stage, the Decider, runs of ports, the ends of many
// connections.
//
// The packages below it answer: index makes terms and conditions of the policies, walk takes one
// connection through them or through the rows of the zones, matrix takes all connections at once,
// by classes of ends that nothing tells apart, diff says what a change or another priority does
// to them, and audit what each rule comes to. Each imports those named before it, and no other.
//
// Invariants, which test/verdicts holds: the verdict from policies is the verdict from the rows
// that compile from them (TestPoliciesAgreeWithRows); what is said of classes is what is said of
// each connection (TestMatrixIsEveryVerdict, TestDifferIsCompare), those of addresses outside
// included (TestOutsideIsEveryAddress).
//
// It imports model; whatever may import model may import it. The compiler does not, and none of
// these packages knows the compiler.
package verdict
