// Package planrun runs plans that move policies step by step, each step through the gate.
//
// Invariants: a step starts only when the rows of every zone show the one before; one process
// runs the plan of a state folder at a time, and asks nothing on the way; progress is written
// down after every step, and a plan goes on from where its policies are.
//
// engine imports it; it imports change/gate and what is below that.
package planrun
