package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrRefused marks what stands in the place of a file or folder of Rung's and is
// not used: no regular file, somebody else's, open to others.
var ErrRefused = errors.New("remove it, or choose another --state-dir")

func refusedError(path, why string) error { return fmt.Errorf("%s %s: %w", path, why, ErrRefused) }

// judgePath judges what is at the path of a private file, and says which file that is
// behind a link. info is nil when there is nothing.
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

// judgeFile says why a file is none of the user's own.
func judgeFile(path string, info fs.FileInfo) error {
	if kind := FileKind(info.Mode()); kind != "" {
		return refusedError(path, "is "+kind+", not a file")
	}
	if uid, _, _ := fileOwner(info); !IsOwn(info) {
		return refusedError(path, fmt.Sprintf("belongs to another user (%d)", uid))
	}
	return nil
}

// IsOwn says whether a file is the user's own.
func IsOwn(info fs.FileInfo) bool {
	uid, _, ok := fileOwner(info)
	return !ok || uid == userID()
}

// OpenPrivate opens a private file, and makes it readable by the user only when it is
// not. flag is that of os.OpenFile; with os.O_CREATE the folder is made, too.
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
		err = judgeFile(path, info) // of the very file: another may have come since
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

// OpenAppend opens a private file of the operating system to add to it, for what
// wants an *os.File.
func OpenAppend(path string) (*os.File, error) {
	f, err := OpenPrivate(OS, path, os.O_CREATE|os.O_APPEND|os.O_WRONLY)
	if err != nil {
		return nil, err
	}
	return f.(systemFile).File, nil
}

// ReadPrivate reads a private file; one that is larger than limit is ErrTooLarge.
func ReadPrivate(fsys FS, path string, limit int64) ([]byte, error) {
	f, err := OpenPrivate(fsys, path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s is %w: more than %d bytes", path, ErrTooLarge, limit)
	}
	return b, err
}

// OpenLocked opens a private file for reading and writing, made when it is not there,
// and takes its lock, which others of the same file wait for. Close ends both.
func OpenLocked(fsys FS, path string) (File, error) { return openLocked(fsys, path, lockTime) }

// TryLocked is OpenLocked that waits for nobody: it is ErrLocked when another has the file.
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

// AppendLines adds whole lines to a file that the caller has locked, down to the disk,
// and says where they begin. They start on a line of their own also when the last
// one was torn. On an error the file is as it was.
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

// CheckFolder looks at a private folder, if there is one. When it is open to others it
// is closed to them, which note says if it holds anything; it is refused when it is somebody
// else's, or when it holds what is not Rung's by mine: closing a home folder, or /tmp, would
// do harm.
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
		return "", nil // there was nothing to see
	}
	return fmt.Sprintf("%s was open to other users (mode %04o) and is yours alone now", path, info.Mode().Perm()), nil
}
