package files

import (
	"errors"

	"golang.org/x/sys/unix"
)

func exchangeFiles(a, b string) error { return renamex(a, b, unix.RENAME_SWAP) }

func renameNew(from, to string) error { return renamex(from, to, unix.RENAME_EXCL) }

func renamex(from, to string, flag uint32) error {
	return renameError(from, to, unix.RenamexNp(from, to, flag))
}

func isOpenForWriting(string) (bool, error) { return false, errors.ErrUnsupported }
