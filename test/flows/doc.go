// Package flows holds what Rung reads below the rows against OVN itself: the logical
// flows that northd makes of every ACL of the demo, after every change of policies and
// pods, and the lines that ovn-controller writes about packets.
//
// It holds tests only, and nothing imports it. RUNG_SEED repeats a run.
package flows
