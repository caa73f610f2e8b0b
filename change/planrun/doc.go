// Package planrun runs plans, which move policies step by step, each step through the gate.
//
// Invariants: a step starts only when the rows of every zone show the step before; one process at a time runs
// the plan of a state folder, and asks nothing while it runs; progress is stored after every step, and a plan
// continues from where its policies are.
//
// engine imports it; it imports change/gate and the packages below that.
package planrun
