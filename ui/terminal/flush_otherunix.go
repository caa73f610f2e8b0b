//go:build unix && !linux

package terminal

import "golang.org/x/sys/unix"

// fwrite is FWRITE of sys/fcntl.h: flush the output.
const fwrite = 2

func flushOutput(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, fwrite) }
