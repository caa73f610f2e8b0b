// Package change has the types shared by packages that change policies: the request (Mutation), its effect on
// each object (ObjectChange), what makes it permanent (Writer), and errors.
//
// Invariants: it decides nothing, writes nothing and does not know the gate.
//
// All packages below change import it; it imports change/guard, revision, model and the sources whose types it
// uses.
package change
