// Package acllog reads and writes the acl_log lines of ovn-controller
// (ovn-kubernetes.md#log-line).
//
// Invariants: text that leaves the package is clean (model/words); no input
// makes it panic; a line and what is kept of it are bounded by MaxLine.
//
// It imports only the model packages and may be imported by sources and engine.
package acllog
