// Package cli is the command line: its root, help, completion, and Main, which only main
// calls, with the console as a screen.
//
// Contract (command-line.md#exit-codes): exit 0 fine, 1 the answer is no, 2 could not
// run; errors go to stderr in one line with the remedy, but for the console's without
// anything to show, which is a page; mutations take --dry-run and --yes and exit 2
// without a terminal and without --yes. Objects that cannot be read are reported on stderr,
// a line each, and never hide the objects that can.
//
// The commands are in packages of their own, with a function for each command that makes it:
// show (policies, zones, rows), ask (verdicts on connections), logs, change, serve (commands
// that run until they are ended). None imports another; they share command, which has the
// flags, runs an engine for an answer, and prints that answer. process has the code about the
// process itself: signals, its streams, memory, Rung's own log.
//
// Every command stands under a heading (groups), every flag is completed or says why not
// (flagValues, freeText); completion reads the files and clusters that the command line
// names, for a second at most, and prints no messages.
package cli
