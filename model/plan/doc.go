// Package plan arranges priorities: it finds free runs and a slot between two policies. It re-spaces a whole
// ladder by an ordered list of steps, each of which changes one policy's priority.
//
// Invariants: at no step of a plan do two policies swap order or become newly tied; each policy moves at most once;
// no step changes whether a policy is enforced. VerifySteps checks a list of steps independently of how it was
// made. The package is pure: it knows priorities and names, not rules.
//
// It imports model and model/words; every package above the model may import it.
package plan
