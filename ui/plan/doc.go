// Package plan is the view that arranges priorities: what is free, where they
// would stand re-spaced, room between two policies, and the steps that lead
// there; it runs a plan and shows how far it is.
//
// Invariants: what is proposed follows the ladder as it is now; a plan runs only
// after one preview of all its steps was answered with yes; a plan that is under
// way or stopped is on the page whoever started it.
package plan
