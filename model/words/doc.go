// Package words writes what is counted and listed, for people: "3 policies", "a, b
// and 2 more", "none". There is one place for it, so that screen, command line,
// findings and errors say it alike.
//
// It is pure, imports nothing of Rung, and may be imported by everybody.
//
// It also makes text from outside safe to print: names, labels, annotations, log
// lines and database strings pass through it where they enter. Text that is kept as it
// was written, the text of a policy above all, is cleaned where it is shown, copied or
// printed instead (Escape, JSON), and the whole frame of the console once more (Frame).
// It is a leaf and may be imported by everybody.
//
// It also writes command lines that a POSIX shell reads back unchanged.
//
// Invariants: it is pure and imports nothing of Rung; what is printed never moves the cursor.
//
// Everything that shows commands imports it.
//
// It also reads the times that people type: in filters of log lines, in flags, and where
// the console asks for one. Every form is read everywhere.
package words
