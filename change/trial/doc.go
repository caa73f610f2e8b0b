// Package trial reverts changes on trial that were not confirmed in time, and finishes or undoes what a killed
// process left of a change of several objects.
//
// Invariants: how to revert a change is on disk before it is made. Unless confirmed it is reverted, even after
// a kill, except for objects that others changed meanwhile. It is confirmed or reverted, never both.
//
// engine imports it; it imports change/gate and the packages below that.
package trial
