// Package command is what the commands share: an App with the flags of the command line,
// an engine that is run with them (WithObjects, WithRows, WithChange), an Answer printed in
// the form asked for, and the names of policies, zones and files that arguments give.
//
// A command that shows something is a Query: it answers for one revision, once, or with
// --watch for every one that gives another answer (App.QueryCommand). What an answer does
// not take into account is said beside it, and decides the exit code (Answer.NotConsidered,
// ExitCode). Where files hold nothing at all for a command, that is the error (needsOf).
//
// What a thing looks like in JSON is a type of its page (pages/...), or, where no page
// tells it, a type called ...Out beside the command that prints it.
package command
