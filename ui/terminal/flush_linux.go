package terminal

import "golang.org/x/sys/unix"

// flushOutput discards output and wakes blocked writers, which Linux does only when stopped output continues.
func flushOutput(fd int) error {
	for _, do := range [][2]int{{unix.TCFLSH, unix.TCOFLUSH}, {unix.TCXONC, unix.TCOOFF}, {unix.TCXONC, unix.TCOON}} {
		if err := unix.IoctlSetInt(fd, uint(do[0]), do[1]); err != nil {
			return err
		}
	}
	return nil
}
