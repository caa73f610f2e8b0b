// Package activity is the view of what was done to databases, the cluster and
// files, newest first, with the equivalent commands.
//
// See package ui for the rules of views.
package activity
