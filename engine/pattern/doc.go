// Package pattern makes the sets of model/template from a revision: the facts that answers
// are picked from, the text that the gate applies, and the file of expectations that must
// hold with it.
//
// Invariants: nothing is applied here, the text goes through the gate as one change; a policy
// that is there keeps its comments, its order and what the set does not decide; what is
// stated of decisions that a set leaves to others is asked of the verdicts.
//
// It imports revision, engine/verify, model and sources/manifests; ui and cli may
// import it.
package pattern
