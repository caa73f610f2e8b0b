// Package verdict says who decides about a connection: whether one end reaches the other,
// at which stage and tier, and by which rule. It says so from the policies
// (Index.FromPolicies) and, without knowing them, from the rows of the zones (Zones), and
// for all connections there can be at once: Matrix, Differ for a change, Moves for a priority.
//
// From policies it follows what OVN-Kubernetes makes of them, its known defects included,
// and names the defect where one makes the difference. Where Antrea enforces them
// (Options.System) it follows Antrea's documentation (antrea.md#verdicts), and there are no
// rows. What cannot be decided is a verdict
// of its own, Unknown, with its reason; so is NotApplicable, where no policy is asked.
//
// Invariants: an Index belongs to one cluster and never changes, and may be asked from any
// goroutine; the verdict from policies is the verdict from the rows that compile from them
// (TestPoliciesAgreeWithRows); what is said of classes is what is said of each connection
// (TestMatrixIsEveryVerdict, TestDifferIsCompare), those of addresses outside included
// (TestOutsideIsEveryAddress).
//
// It imports model, model/antrea, model/ladder, model/ovn/match, model/ovn/nb and model/overlap; whatever may
// import model may import it. The compiler does not, and it does not know the compiler.
package verdict
