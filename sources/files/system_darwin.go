package files

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func exchangeFiles(a, b string) error { return renamex(a, b, unix.RENAME_SWAP) }

func renameNew(from, to string) error { return renamex(from, to, unix.RENAME_EXCL) }

func renamex(from, to string, flag uint32) error {
	err := unix.RenamexNp(from, to, flag)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}

func isOpenForWriting(string) (bool, error) { return false, errors.ErrUnsupported }
