// Package plan shows the priorities: which are free, where each policy is and where a plan moves it, and the
// progress of a plan, step by step.
package plan
