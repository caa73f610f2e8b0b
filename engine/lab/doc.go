// Package lab connects the sandbox to an engine: it starts a zone for every Node, lets zones follow Nodes and
// pods, makes connections and simulated pods, and sends probes.
//
// Invariants: it is optional: the caller of an engine puts it into the configuration, and the engine does not
// import it. Reconcilers write its zones like any others.
//
// cli imports it; it imports the parts of an engine and sources/sandbox.
package lab
