// Package change has the words that all share who change policies: what is asked for (Mutation),
// what it does to each object (ObjectChange), what makes it last (Writer), and why a change is
// not made.
//
// Invariants: it decides nothing and writes nothing; nothing of it knows the gate.
//
// Everything below change imports it; it imports change/guard, revision, model and the sources
// whose words it uses.
package change
