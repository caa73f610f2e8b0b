// Package pod shows what policies do to a pod: every rule with the pod as subject or peer, in deciding order,
// and the policies that isolate it. It also shows what policies do to a namespace: its connections in both
// directions, with the policies that decide them.
package pod
