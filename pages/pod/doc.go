// Package pod tells what policies do to a pod: every rule that touches it, as subject or as
// peer, in order of precedence, and who isolates it.
package pod
