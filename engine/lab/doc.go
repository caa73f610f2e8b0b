// Package lab is the sandbox at an engine: it starts a zone for every Node, lets these
// follow the Nodes and the pods, makes connections and simulated pods, and puts probes in.
//
// Invariants: it is an optional room, which whoever wires an engine puts into its
// configuration; the engine does not import it. Its zones are written like any others, by
// the reconcilers.
//
// cli imports it; it imports the parts of an engine and sources/sandbox.
package lab
