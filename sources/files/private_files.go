package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrRefused marks a file or folder of Rung's that is not used: it is not a regular file, belongs to another
// user, or is open to others.
var ErrRefused = errors.New("remove it, or choose another --state-dir")

func refusedError(path, why string) error { return fmt.Errorf("%s %s: %w", path, why, ErrRefused) }

// judgePath checks a private file, and returns the path behind a link. info is nil if no file exists.
func judgePath(fsys FS, path string) (real string, info fs.FileInfo, err error) {
	info, err = fsys.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	real = path
	if info.Mode()&fs.ModeSymlink != 0 {
		if real, err = fsys.RealPath(path); errors.Is(err, fs.ErrNotExist) {
			return "", nil, refusedError(path, "is a link to a file that does not exist")
		} else if err != nil {
			return "", nil, err
		}
		if info, err = fsys.Lstat(real); err != nil {
			return "", nil, err
		}
	}
	return real, info, judgeFile(path, info)
}

// judgeFile returns an error if a file is not a regular file of the user's.
func judgeFile(path string, info fs.FileInfo) error {
	if kind := FileKind(info.Mode()); kind != "" {
		return refusedError(path, "is "+kind+", not a file")
	}
	if uid, _, _ := fileOwner(info); !IsOwn(info) {
		return refusedError(path, fmt.Sprintf("belongs to another user (%d)", uid))
	}
	return nil
}

// IsOwn reports whether a file belongs to the user.
func IsOwn(info fs.FileInfo) bool {
	uid, _, ok := fileOwner(info)
	return !ok || uid == userID()
}

// OpenPrivate opens a private file, and restricts it to the user if others have access. flag is as for
// os.OpenFile; with os.O_CREATE the folder is made, too.
func OpenPrivate(fsys FS, path string, flag int) (File, error) {
	if flag&os.O_CREATE != 0 {
		if err := fsys.MkdirAll(filepath.Dir(path), PrivateFolder); err != nil {
			return nil, fmt.Errorf("making the state folder: %w", err)
		}
	}
	real, _, err := judgePath(fsys, path)
	if err != nil {
		return nil, err
	}
	f, err := fsys.Open(real, flag, PrivateFile)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = judgeFile(path, info) // of the open file, which may have been replaced since
	}
	if err == nil && OpenToOthers(info) {
		if cerr := f.Chmod(PrivateFile); cerr != nil {
			err = fmt.Errorf("making %s private: %w", path, cerr)
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// OpenAppend opens a private file for appending, as an *os.File.
func OpenAppend(path string) (*os.File, error) {
	f, err := OpenPrivate(OS, path, os.O_CREATE|os.O_APPEND|os.O_WRONLY)
	if err != nil {
		return nil, err
	}
	return f.(systemFile).File, nil
}

// ReadPrivate reads a private file; ErrTooLarge if it has more than limit bytes.
func ReadPrivate(fsys FS, path string, limit int64) ([]byte, error) {
	f, err := OpenPrivate(fsys, path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b, err := ReadAll(f, 0, limit)
	if errors.Is(err, ErrTooLarge) {
		err = fmt.Errorf("%s is %w: more than %d bytes", path, ErrTooLarge, limit)
	}
	return b, err
}

// OpenLocked opens or makes a private file for reading and writing, and takes its lock. It waits up to
// lockTime for another holder. Close releases the lock.
func OpenLocked(fsys FS, path string) (File, error) { return openLocked(fsys, path, lockTime) }

// TryLocked is OpenLocked without the wait: ErrLocked if another has the lock.
func TryLocked(fsys FS, path string) (File, error) { return openLocked(fsys, path, 0) }

func openLocked(fsys FS, path string, patience time.Duration) (File, error) {
	f, err := OpenPrivate(fsys, path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := lockFile(f, patience); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return f, nil
}

// AppendLines appends whole lines to a file locked by the caller, syncs it, and returns their offset. If the
// last line is torn, they start on a new line. On an error the file is unchanged.
func AppendLines(f File, lines []byte) (at int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size := info.Size()
	at = size
	if size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err != nil {
			return 0, err
		}
		if last[0] != '\n' {
			lines = append([]byte{'\n'}, lines...)
			at++
		}
	}
	_, err = f.WriteAt(lines, size)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return 0, errors.Join(err, f.Truncate(size))
	}
	return at, nil
}

// CheckFolder checks a private folder, if it exists. A folder open to others is closed to them; note says so
// unless it is empty. It refuses another user's folder, and an open one with files for which mine is false:
// closing a home folder, or /tmp, would do harm.
func CheckFolder(fsys FS, path string, mine func(name string) bool) (note string, err error) {
	real, err := fsys.RealPath(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	info, err := fsys.Lstat(real)
	if err != nil {
		return "", err
	}
	uid, _, _ := fileOwner(info)
	switch {
	case !info.IsDir():
		return "", fmt.Errorf("%s is not a folder: choose another --state-dir", path)
	case !IsOwn(info):
		return "", fmt.Errorf("%s belongs to another user (%d): choose another --state-dir", path, uid)
	case !OpenToOthers(info):
		return "", nil
	}
	entries, err := fsys.ReadDir(real)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if !mine(e.Name()) {
			return "", fmt.Errorf("%s is open to other users (mode %04o) and holds more than Rung's files (%s): chmod 700 it, or choose another "+
				"--state-dir",
				path, info.Mode().Perm(), e.Name())
		}
	}
	if err := fsys.Chmod(real, PrivateFolder); err != nil {
		return "", fmt.Errorf("%s is open to other users: %w", path, err)
	}
	if len(entries) == 0 {
		return "", nil // nothing was exposed
	}
	return fmt.Sprintf("%s was open to other users (mode %04o); made private", path, info.Mode().Perm()), nil
}
