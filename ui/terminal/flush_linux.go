package terminal

import "golang.org/x/sys/unix"

// flushOutput discards, and wakes who waits to write: Linux does that only where output that
// was held goes on.
func flushOutput(fd int) error {
	for _, do := range [][2]int{{unix.TCFLSH, unix.TCOFLUSH}, {unix.TCXONC, unix.TCOOFF}, {unix.TCXONC, unix.TCOON}} {
		if err := unix.IoctlSetInt(fd, uint(do[0]), do[1]); err != nil {
			return err
		}
	}
	return nil
}
