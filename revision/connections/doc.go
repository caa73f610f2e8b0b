// Package connections answers questions about connections: the matrix between all ends, which
// connections a change turns, which rules touch a pod and say what about it, and which rules
// decide before others.
//
// Invariants: counts are over every connection of the classes, never over a sample. It imports
// revision, revision/finding, revision/policies and model. The gate, the engine, pages, ui and
// cli may import it.
package connections
