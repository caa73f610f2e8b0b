// Package words writes text for people: counts and lists ("3 policies", "a, b and 2 more"),
// ages, sizes, and the times that people type. It makes text from outside safe to print, and
// writes command lines that a POSIX shell reads back unchanged.
//
// Names, labels, annotations, log lines and database strings are cleaned where they enter.
// Text that must stay as written, a policy's above all, is cleaned where it is shown, copied
// or printed (Escape, CleanJSON), and the console's whole frame once more (CleanFrame).
//
// Invariants: cleaned text never moves the cursor. The package is pure, imports nothing of
// Rung, and everybody may import it.
//
// Is the one table of signs: what each stands for on a screen and in the
// answers of commands, its plain form for --ascii, and its meaning. A sign has one meaning,
// whatever colour it has. Everybody may import it; it imports nothing.
package words
