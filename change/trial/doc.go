// Package trial puts a change back that was made on trial and that nobody confirmed in time, and
// finishes or undoes what a killed process left of a change of several objects.
//
// Invariants: how a change is put back is on the disk before it is made; whatever becomes of its
// process, it is put back unless it is confirmed, and what others changed meanwhile is not; it is
// confirmed or put back, never both.
//
// engine imports it; it imports change/gate and what is below that.
package trial
