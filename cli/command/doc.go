// Package command holds the code that commands share: an App with the flags of the command
// line, an engine run with these flags (WithObjects, WithRows, WithChange), an Answer printed in
// the form asked for, and names of policies, zones and files given as arguments. It also runs
// Rung as a process: signals, closed streams, the memory limit, and the log that libraries write
// to while there is a screen.
//
// A command that shows something is a Query. It answers for one revision, or with --watch for
// every revision with another answer (App.QueryCommand). The omissions of an answer are printed
// beside it and decide the exit code (Answer.NotConsidered, ExitCode). Input that holds nothing
// for a command is an error (needsOf).
//
// The JSON of a thing is a type of the page that shows it (pages/...), or a type named ...Out
// beside the command if no page shows it.
package command
