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
// It also has the commands that ask what becomes of connections: trace, matrix, probe,
// verify, explain of what ovn-trace printed, and convert, which proves that two sides say
// the same. An answer to one question of many is a command.AnswerItem: a line where there are
// many, the whole way where there is one.
//
// It also has the commands that change policies, or show what a change would do.
// Each hands a mutation to the engine's gate, shows its preview, has it confirmed, makes
// it, and waits until the rows of every zone show it (makeChange).
//
// It also has `rung report`, the file that tells all pages: for an audit, and for the review of
// an incident.
//
// It also has rung logs: the lines of the ACL log as they come, counted, explained
// where none come, or made into a policy.
//
// It also has the commands that show what is read: the ladder, policies, pods and
// findings of the objects; zones, their rows, drift and what was written to them.
//
// It also has what runs until it is ended: the console on the screen that main hands
// in, and rung reconcile.
//
// It also has the flags that narrow a list of objects as kubectl does: -n, -A, -l and
// --field-selector. A Selection says of each object whether it is asked for, and counts those that
// are not: what is left out is said beside every answer.
//
// It also paints a page.Sheet for readers without a terminal: as one HTML file that asks
// for nothing, as markdown, and as text. It adds nothing to what the sheet says.
//
// Every text of a sheet may be hostile: in HTML it is only ever text or the value of a quoted
// attribute, and the file's own policy forbids every script, style, image and request but the
// ones that are written in it.
package cli
