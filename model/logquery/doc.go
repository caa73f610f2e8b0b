// Package logquery is the filter of ACL log lines: an expression of terms that must all
// hold, such as
//
//	verdict:deny policy:web ns:blue->red port:53 not node:w2 since:5m "text" /regex/
//
// read, matched against lines, and completed while it is typed. The console's log and
// `rung logs --filter` use it alike, so that an expression means the same in both.
//
// Invariants: it is pure, and the time is handed in; reading never fails altogether: the
// terms that can be read hold, and the first that cannot is named by an Error; matching
// a line has no memory of other lines.
//
// It imports model; engine, ui and cli may import it.
package logquery
