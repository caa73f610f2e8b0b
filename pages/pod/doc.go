// Package pod shows what policies do to a pod: every rule that touches it, as subject or as peer, in deciding
// order, and which policies isolate it.
package pod
