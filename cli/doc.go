// Package cli is the command line: its root, help, completion, and Main, which only main
// calls, with the console as a screen.
//
// Contract (command-line.md#exit-codes): exit 0 fine, 1 the answer is no, 2 could not
// run; errors go to stderr in one line with the remedy, but for the console's without
// anything to show, which is a page; mutations take --dry-run and --yes and exit 2
// without a terminal and without --yes. What cannot be read is said on stderr, a line
// each, and never hides what can.
//
// The commands stand in rooms of their own, a function for each that makes it: show
// (policies, zones, rows), ask (what becomes of connections), logs, change, serve (what
// runs until it is ended). None imports another; they share command, which has the flags,
// how an engine is run for an answer, and how that is printed. process has what is of the
// process: signals, its streams, memory, the own log.
//
// Every command stands under a heading (groups), every flag is completed or says why not
// (flagValues, freeText); completion reads what the command line names, for a second at
// most, and never speaks.
package cli
