//go:build unix

package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

const (
	nonblock = syscall.O_NONBLOCK
	// keepsOpen means that an open file can be renamed.
	keepsOpen = true
)

func (f systemFile) TryLock() error {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrLocked
		case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOLCK):
			return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
		default:
			return err
		}
	}
}

// fileOwner returns the owner and group of a file; ok is false if they are unknown.
func fileOwner(info fs.FileInfo) (uid, gid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(st.Uid), int(st.Gid), true
}

// linkCount returns the number of names (hard links) of a file.
func linkCount(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink)
	}
	return 1
}

func userID() int { return os.Geteuid() }

// OpenToOthers reports whether users other than the owner have any permission on a file.
func OpenToOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }

// openShared opens a file for reading. A terminal device does not become Rung's controlling terminal.
func openShared(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|nonblock|syscall.O_NOCTTY, 0)
}

func renameOver(from, to string) error { return os.Rename(from, to) }

// renameError returns the error of a special rename, which the kernel or the file system may not support.
func renameError(from, to string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENOTSUP):
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}
