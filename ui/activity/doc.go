// Package activity is the view of what was done to databases, the cluster and
// files, newest first, with the equivalent commands.
//
// See package ui for the rules of views.
//
// Is the view of logging sessions: who logs what until when, in which zones
// the rows do, and which sessions ended.
//
// See package ui for the rules of views.
//
// Is the view of what the ovnkube-controller of a zone wrote
// about a policy: where a condition that reports a failure leads. The lines are a
// report, as the condition is; what holds are the rows.
//
// See package ui for the rules of views.
package activity
