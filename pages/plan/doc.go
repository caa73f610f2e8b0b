// Package plan tells the priorities: which are free, where each policy stands and where a plan
// takes it, and how a plan goes, step by step.
package plan
