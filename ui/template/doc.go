// Package template is the view of the templates of policies: a list to pick from, two or
// three questions with answers picked from the cluster, then the preview of the policies,
// whose text stands in it, as one change.
//
// Invariants: nothing is written here (package preview does); what is slow is worked out
// beside the screen, so that a question comes up at once.
//
// See package ui for the rules of views.
package template
