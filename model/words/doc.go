// Package words writes text for people: counts and lists ("3 policies", "a, b and 2 more"), ages, sizes and
// times. It makes text from outside safe to print, writes command lines that a POSIX shell reads back
// unchanged, and holds the one table of signs: each sign has one meaning and a plain form for --ascii.
//
// Sources clean names, labels, annotations, log lines and database strings. Text that must stay as written,
// above all a policy's, is cleaned when shown, copied or printed (Escape, CleanJSON). The console cleans its
// whole frame once more (CleanFrame).
//
// Invariant: cleaned text never moves the cursor. The package is pure and imports nothing of Rung.
package words
