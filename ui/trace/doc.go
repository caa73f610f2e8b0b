// Package trace has the pages about connections. A trace shows whether a connection is let through and who
// decides, stage by stage and tier by tier, with the answer of the zones' rows beside it. While on the screen
// it is asked again after every change, and shows its former answer. A probe shows the outcome of the
// connection as packets in the sandbox, packet by packet there and back. A matrix shows which pods reach
// which: namespaces against namespaces, unfolding to workloads and pods, on one port or on every port; a cell
// links to a trace.
//
// See package ui for the rules of views.
package trace
