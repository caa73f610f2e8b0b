// Package acllog reads and writes the acl_log lines of ovn-controller
// (ovn-kubernetes.md#log-line), and reads the files that they are in.
//
// Parse reads a line. A Set reads log files and follows them as tail -F does: whole lines, each
// once, across rotation by rename or by copy and truncation, a rotated part that was
// compressed, and a file that is deleted and returns. Where lines may be missing, it says so.
//
// Invariants: text that leaves Parse is clean (model/words); no input
// makes it panic; a line and what is kept of it are bounded by MaxLine, and no more of a file
// is held; what belongs together is recognised by content, not by name. A Set is used by one
// goroutine.
//
// It imports only the model packages and sources/files, and may be imported by sources and engine.
package acllog
