// Package cli is the command line: its root, help, completion, and Main, which only main
// calls, with the console as a screen.
//
// Contract (command-line.md#exit-codes): exit 0 fine, 1 the answer is no, 2 could not
// run; errors go to stderr in one line with the remedy, but for the console's without
// anything to show, which is a page; mutations take --dry-run and --yes and exit 2
// without a terminal and without --yes. Objects that cannot be read are reported on stderr,
// a line each, and never hide the objects that can.
//
// A function for each command makes it. Package command has the flags, runs an engine for an
// answer, and prints that answer. Package process has the code about the process itself:
// signals, its streams, memory, Rung's own log.
//
// Every command stands under a heading (groups), every flag is completed or says why not
// (flagValues, freeText); completion reads the files and clusters that the command line
// names, for a second at most, and prints no messages.
//
// A command that changes something hands a mutation to the engine's gate, shows its preview, has
// it confirmed, and waits until the rows of every zone show it (makeChange). A Selection
// narrows a list as kubectl's -n, -A, -l and --field-selector do and counts what it leaves out.
// `rung report` prints a page.Sheet as HTML, markdown or text: text of a sheet may be hostile,
// in HTML it is only ever text or a quoted attribute, and the file's own policy forbids every
// script, style, image and request but those written in it.
package cli
