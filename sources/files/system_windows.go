package files

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

const (
	nonblock  = 0
	keepsOpen = false // an open file cannot be renamed
)

// farAway is the offset of the locked byte: Windows keeps others from reading locked bytes.
const farAway = 0x7fffffff

func (f systemFile) TryLock() error {
	at := &windows.Overlapped{OffsetHigh: farAway}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0,
		1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// openShared opens a file or folder for reading. Unlike os.Open, it allows renaming and deleting it meanwhile.
func openShared(name string) (*os.File, error) {
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	h, err := windows.CreateFile(path, windows.GENERIC_READ,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
		nil, windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}

func exchangeFiles(string, string) error { return errors.ErrUnsupported }

func renameNew(from, to string) error {
	a, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	b, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	if err := windows.MoveFileEx(a, b, windows.MOVEFILE_WRITE_THROUGH); err != nil { // without the flag to replace
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

// othersRead is how long to wait for readers to close a file, which keep it from being replaced.
const othersRead = 500 * time.Millisecond

func renameOver(from, to string) error {
	for end := time.Now().Add(othersRead); ; time.Sleep(5 * time.Millisecond) {
		err := os.Rename(from, to)
		if err == nil || time.Now().After(end) ||
			!errors.Is(err, windows.ERROR_SHARING_VIOLATION) && !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
			return err
		}
	}
}

func isOpenForWriting(string) (bool, error) { return false, errors.ErrUnsupported }

// A file's mode does not tell permissions here: the folder of a user's profile is the user's own.
func fileOwner(fs.FileInfo) (uid, gid int, ok bool) { return 0, 0, false }

func linkCount(fs.FileInfo) int { return 1 }

func userID() int { return 0 }

// OpenToOthers reports whether others may access a file; here always false.
func OpenToOthers(fs.FileInfo) bool { return false }
