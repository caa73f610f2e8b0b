// Package plan arranges priorities: free runs, a slot between two policies, and
// the re-spacing of a whole ladder as an ordered list of changes of one
// policy's priority each.
//
// Invariants: at no step of a plan do two policies swap order or newly become tied; each
// policy moves at most once; a policy that is not enforced does not become enforced, and
// an enforced one does not stop being so. Verify checks a list of steps without knowing
// how it was made. The package is pure: it knows priorities and names, not rules.
//
// It imports model and model/words; every package above the model may import it.
package plan
