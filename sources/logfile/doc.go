// Package logfile reads log files and follows them as tail -F does: whole lines, each
// exactly once, across rotation by rename or by copy and truncation, a rotated part that
// was compressed, and a file that is deleted and returns. Where bytes are lost, it says so.
//
// Invariants: it parses no line and knows no clock; a line is at most MaxLine bytes, and
// no more than that of a file is held; what belongs together is recognised by content,
// not by name. A Set is used by one goroutine.
//
// engine/logs imports it; it imports model/words and sources/reading.
package logfile
