// Package command holds the code that the commands share: an App with the flags of the
// command line, an engine that is run with them (WithObjects, WithRows, WithChange), an
// Answer printed in the form asked for, and the names of policies, zones and files that
// arguments give.
//
// A command that shows something is a Query: it answers for one revision, once, or with
// --watch for every revision that gives another answer (App.QueryCommand). The omissions of
// an answer are printed beside it, and decide the exit code (Answer.NotConsidered, ExitCode).
// Files that hold nothing at all for a command are an error (needsOf).
//
// The JSON of a thing is a type of the page that shows it (pages/...), or, where no page
// shows it, a type called ...Out beside the command that prints it.
//
// Is Rung as a process of the system: the signals that end it, streams
// that somebody reads or not, how much memory the runtime may take, and the log that
// libraries write to while there is a screen. It knows no command.
package command
