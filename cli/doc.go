// Package cli is the command line: the commands, help, completion, and Main, which main calls with the console
// as a screen.
//
// Contract (command-line.md#exit-codes): exit 0 means fine, 1 the answer no, 2 could not run. Errors are one
// line on stderr with the remedy, except for a console without anything to show, which prints a page. Changes
// take --dry-run and --yes, and exit 2 without a terminal and without --yes. Unreadable objects are reported
// on stderr, a line each, and never hide the others.
//
// A function for each command makes it. Package command has the flags, runs an engine for an answer, prints
// that answer, and handles the process itself: signals, streams, memory, Rung's own log.
//
// Every command has a heading (groups); every flag is completed or listed with a reason why not (flagValues,
// freeText). Completion reads the files and clusters named on the command line, for at most a second, and
// prints no messages.
//
// A command that changes something passes a mutation to the engine's gate, shows its preview, has it
// confirmed, and waits until the rows of every zone show it (makeChange). A Selection narrows a list like
// kubectl's -n, -A, -l and --field-selector, and counts what it leaves out. `rung report` prints a page.Sheet
// as HTML, markdown or text. Its texts may be hostile: in HTML they are only ever text or quoted attributes,
// and the file's own policy forbids every script, style, image and request that is not written in it.
package cli
