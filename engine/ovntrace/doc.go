// Package ovntrace asks ovn-trace about connections, in the sandbox on OVN or in the pods
// of a cluster's zones, and holds what it decides against the rows.
//
// Invariants: it is an optional room, which whoever wires an engine puts into its
// configuration; the engine does not import it. One ovn-trace at a time runs in a zone;
// where it and the rows disagree is remembered until it is asked again, or what it is
// about is gone.
//
// cli imports it; it imports the parts of an engine and engine/trace.
package ovntrace
