// Package pod shows what policies do to a pod: every rule with the pod as subject or peer, in deciding order,
// and the policies that isolate it; and what they do to a namespace: who may reach it, what it may reach, and why.
package pod
