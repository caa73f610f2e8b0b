// Package controllerlog is the view of what the ovnkube-controller of a zone wrote
// about a policy: where a condition that reports a failure leads. The lines are a
// report, as the condition is; what holds are the rows.
//
// See package ui for the rules of views.
package controllerlog
