// Package ready tells what the controllers of all zones reported of each policy (the
// Ready-In-Zone conditions, ovn-kubernetes.md#status-conditions) beside what the rows
// there say. A report is never proof: in sync comes from rows only.
package ready
