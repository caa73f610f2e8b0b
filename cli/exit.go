package cli

import (
	"errors"

	"rung/change"
)

// Exit codes.
const (
	exitOK = 0
	exitNo = 1 // the answer is no: drift found, lint errors, a change refused
	exit2  = 2 // could not run, or not wholly judged
	// exitPipe is what a shell shows of a program that SIGPIPE ended: nobody reads
	// the output any more, as in rung ladder | head -1.
	exitPipe = 141
)

var (
	// errNo ends a command with exit 1; its answer was printed.
	errNo = errors.New("the answer is no")
	// errSaid ends a command with exit 2: what was to be said was printed.
	errSaid = errors.New("nothing to show")
	// errUnjudged ends a command with exit 2: its answer was printed, with what it does not
	// take into account beside it.
	errUnjudged = errors.New("not wholly judged")
	// errRefused ends a command with exit 1 and goes to stderr with what is
	// wrapped around it.
	errRefused = errors.New("nothing was changed")
	// errBehind likewise: the policies are changed and some zone's rows are not.
	errBehind = errors.New("see rung drift")
	// errPutBack likewise: a change on trial does not stand, or not for long.
	errPutBack = errors.New("not confirmed")
)

// exitCode is the exit code of a command that ended with an error, or without; said says
// that everything about it was printed.
func exitCode(err error) (code int, said bool) {
	switch {
	case err == nil:
		return exitOK, true
	case errors.Is(err, errNo):
		return exitNo, true
	case errors.Is(err, errSaid), errors.Is(err, errUnjudged):
		return exit2, true
	case errors.Is(err, errRefused), errors.Is(err, errBehind), errors.Is(err, errPutBack), errors.Is(err, change.ErrBlocked),
		errors.Is(err, change.ErrStale), errors.Is(err, change.ErrNotRecorded):
		return exitNo, false
	}
	return exit2, false
}
