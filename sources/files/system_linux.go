package files

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func exchangeFiles(a, b string) error { return renameat2(a, b, unix.RENAME_EXCHANGE) }

func renameNew(from, to string) error { return renameat2(from, to, unix.RENAME_NOREPLACE) }

func renameat2(from, to string, flag uint) error {
	return renameError(from, to, unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flag))
}

// isOpenForWriting asks for a read lease, which the kernel grants only if no program has the file open for
// writing, and gives it back at once.
func isOpenForWriting(name string) (bool, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return false, err
	}
	defer f.Close()
	switch _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK); {
	case err == nil:
		_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
		return false, err
	case errors.Is(err, unix.EAGAIN):
		return true, nil
	default: // not the file's owner, or a file system without leases
		return false, fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
}
