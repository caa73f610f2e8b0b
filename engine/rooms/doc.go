// Package rooms says what an engine gives to its optional rooms, and what it asks of
// them: the sandbox, and ovn-trace. The engine is built without them; whoever wires it
// puts them into its configuration.
//
// Invariants: an engine without a room has nothing of it; a room keeps its own state,
// and what of it the loop is asked for is the loop's alone.
//
// The engine and the rooms import it; it imports the parts of an engine.
package rooms
