// Package matrix is the view of which pods reach which (revision, Matrix): namespaces
// against namespaces, unfolding to workloads and pods, on one port or on every port; of one
// namespace, its connections with the others, both ways. A cell leads to a trace.
//
// See package ui for the rules of views.
package matrix
