// Package acllog reads and writes the acl_log lines of ovn-controller (ovn-kubernetes.md#log-line), and reads
// the files with such lines.
//
// Parse reads a line. A Set reads log files and follows them as tail -F does: whole lines, each once, across
// rotation by rename or by copy and truncation, a rotated part that was compressed, and a file that is deleted
// and returns. It says where lines may be missing.
//
// Invariants: text from Parse is clean (model/words); no input makes it panic; MaxLine bounds a line and the
// memory for a file; parts of one log are recognised by content, not by name. One goroutine uses a Set.
//
// It imports only the model packages and sources/files, and may be imported by sources and engine.
package acllog
