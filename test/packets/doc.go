// Package packets holds what Rung claims against OVN itself: random clusters are
// compiled and written by Rung's own compiler and reconciler into zones of
// sources/sandbox/ovn, and connections are put in as packets. The packets that come
// out, and the ACLs that ovn-controller's log names, must agree with the verdicts from the
// same rows, and with the verdicts from the policies that were compiled, or from those that
// they were made from.
//
// It holds tests only, and nothing imports it. RUNG_SEED repeats a run.
package packets
