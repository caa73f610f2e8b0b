// Package packets holds what Rung claims against OVN itself: random clusters are
// compiled and written by Rung's own compiler and reconciler into zones of
// sources/sandbox/ovn, and connections are put in as packets. What comes out, and
// which ACLs ovn-controller's log names, has to be what the evaluator of
// verdicts say of the same rows, and what verdicts from policies say: the policies that were
// compiled, or those that they were made from.
//
// It holds tests only, and nothing imports it. RUNG_SEED repeats a run.
package packets
