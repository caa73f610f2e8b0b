// Package words writes what is counted and listed, for people: "3 policies", "a, b
// and 2 more", "none". There is one place for it, so that screen, command line,
// findings and errors say it alike.
//
// It is pure, imports nothing of Rung, and may be imported by everybody.
package words
