//go:build unix

package command

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// moreEnds are further signals that end Rung. pipeSignals are caught so that a write to a closed pipe fails,
// instead of killing the process with its sandbox left behind.
var (
	moreEnds    = []os.Signal{syscall.SIGQUIT}
	pipeSignals = []os.Signal{syscall.SIGPIPE}
)

func isQuit(s os.Signal) bool { return s == syscall.SIGQUIT }

// BrokenPipe reports whether a write failed because nobody reads.
func BrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// isReaderGone reports whether a file is a pipe or socket whose reader is gone.
func isReaderGone(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) == 0 {
		return false
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	gone := false
	_ = raw.Control(func(fd uintptr) {
		poll := []unix.PollFd{{Fd: int32(fd)}}
		n, err := unix.Poll(poll, 0)
		gone = err == nil && n > 0 && poll[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
	})
	return gone
}
