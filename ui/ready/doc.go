// Package ready is the view of what the controllers of all zones reported of each
// policy (the Ready-In-Zone conditions, ovn-kubernetes.md#status-conditions): one line
// per policy, and of one policy one line per zone, beside what the rows there say. A
// report is never proof, and the page says so: in sync comes from rows only.
//
// See package ui for the rules of views.
package ready
