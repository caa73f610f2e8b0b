//go:build !unix

package command

import (
	"errors"
	"os"
	"syscall"
)

// moreEnds and pipeSignals are empty: these signals exist on Unix only.
var moreEnds, pipeSignals []os.Signal

func isQuit(os.Signal) bool { return false }

// errNoData is ERROR_NO_DATA: the pipe is being closed.
const errNoData = syscall.Errno(232)

// BrokenPipe reports whether a write failed because nobody reads.
func BrokenPipe(err error) bool {
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, errNoData)
}

// isReaderGone always returns false here: only the next write can tell.
func isReaderGone(*os.File) bool { return false }
