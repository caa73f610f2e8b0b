// Package activity has the pages about what was done: changes to databases, the cluster and
// files, newest first, with the equivalent commands; logging sessions; and the lines that a zone's
// ovnkube-controller wrote about a policy. These lines are a report; the rows are what holds.
//
// See package ui for the rules of views.
package activity
