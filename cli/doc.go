// Package cli is the command line: one small file per subcommand, each the twin
// of a view with -o table, wide, json or yaml.
//
// Contract (command-line.md#exit-codes): exit 0 fine, 1 the answer is no, 2 could not
// run; errors go to stderr in one line with the remedy, but for the console's without
// anything to show, which is a page; mutations take --dry-run and --yes and exit 2
// without a terminal and without --yes. What cannot be read is said on stderr, a line
// each, and never hides what can; where files hold nothing at all for a command, that
// is the error (needsOf).
//
// A command that shows something is a query: it answers for one revision, once,
// or with --watch for every one that gives another answer. A command that changes
// something hands a mutation to the engine's gate, shows its preview, has it
// confirmed, and waits until the rows of every zone show it.
//
// What a thing looks like in JSON is a type called …Out, in the file that prints the
// thing and nowhere else; what is stored (a plan, its slots and steps) is printed as it
// is stored. No type below cli has names for JSON for the sake of its output.
//
// Every command stands under a heading (groups), every flag is completed or says why not
// (flagValues, freeText); completion reads what the command line names, for a second at
// most, and never speaks.
//
// It imports engine, model and themes; only main imports it, and hands the console in.
package cli
