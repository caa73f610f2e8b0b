package command

import (
	"errors"

	"rung/change"
)

// Exit codes.
const (
	ExitOK     = 0
	ExitNo     = 1 // the answer is no: drift found, lint errors, a change refused
	ExitFailed = 2 // could not run, or not wholly judged
	// ExitPipe is what a shell shows of a program that SIGPIPE ended: nobody reads
	// the output any more, as in rung ladder | head -1.
	ExitPipe = 141
)

var (
	// ErrNo ends a command with exit 1; its answer was printed.
	ErrNo = errors.New("the answer is no")
	// ErrSaid ends a command with exit 2: what was to be said was printed.
	ErrSaid = errors.New("nothing to show")
	// ErrUnjudged ends a command with exit 2: its answer was printed, with what it does not
	// take into account beside it.
	ErrUnjudged = errors.New("not wholly judged")
	// ErrRefused ends a command with exit 1 and goes to stderr with what is
	// wrapped around it.
	ErrRefused = errors.New("nothing was changed")
	// ErrBehind likewise: the policies are changed and some zone's rows are not.
	ErrBehind = errors.New("see rung drift")
	// ErrPutBack likewise: a change on trial does not stand, or not for long.
	ErrPutBack = errors.New("not confirmed")
)

// ExitCode is the exit code of a command that ended with an error, or without; said says
// that everything about it was printed.
func ExitCode(err error) (code int, said bool) {
	switch {
	case err == nil:
		return ExitOK, true
	case errors.Is(err, ErrNo):
		return ExitNo, true
	case errors.Is(err, ErrSaid), errors.Is(err, ErrUnjudged):
		return ExitFailed, true
	case errors.Is(err, ErrRefused), errors.Is(err, ErrBehind), errors.Is(err, ErrPutBack), errors.Is(err, change.ErrBlocked),
		errors.Is(err, change.ErrStale), errors.Is(err, change.ErrNotRecorded):
		return ExitNo, false
	}
	return ExitFailed, false
}
