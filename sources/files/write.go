package files

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// The modes of what is the user's alone: policies, undo texts and the audit tell
// how a cluster can be reached.
const (
	PrivateFile   fs.FileMode = 0o600
	PrivateFolder fs.FileMode = 0o700
)

// ErrLocked says that another program holds a file.
var ErrLocked = errors.New("another program holds it")

// CreateFile writes a new file: the whole text, or no file. A file that exists at path
// stays, and the error is fs.ErrExist.
func CreateFile(fsys FS, path string, text []byte, perm fs.FileMode) error {
	// Looked at first, so that a full disk does not hide the better reason.
	if _, err := fsys.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return writeWhole(fsys, path, text, perm, nil, fsys.RenameNew)
}

// writeWhole writes text beside path and moves it there. On an error nothing stays behind.
func writeWhole(fsys FS, path string, text []byte, perm fs.FileMode, like fs.FileInfo, move func(from, to string) error) error {
	temp, err := fillTemp(fsys, path, text, perm, like)
	if err != nil {
		return err
	}
	if err := move(temp, path); err != nil {
		_ = fsys.Remove(temp)
		return err
	}
	syncFolder(fsys, path)
	return nil
}

// ReplaceFile puts a whole private file in the place of path, or nothing. It refuses to
// replace anything but a regular file of the user's.
func ReplaceFile(fsys FS, path string, text []byte) error {
	if err := fsys.MkdirAll(filepath.Dir(path), PrivateFolder); err != nil {
		return fmt.Errorf("making the state folder: %w", err)
	}
	real, _, err := judgePath(fsys, path)
	if err != nil {
		return err
	}
	return writeWhole(fsys, real, text, PrivateFile, nil, fsys.Rename)
}

// SaveFile writes a file that somebody named: the whole text, or what was there before stays. One that
// exists keeps its owner and permissions; a device or a pipe is written to.
func SaveFile(fsys FS, path string, text []byte) error {
	if real, err := fsys.RealPath(path); err == nil {
		path = real
	}
	perm := fs.FileMode(0o644)
	info, err := fsys.Lstat(path)
	switch {
	case err == nil && info.Mode().IsRegular():
		perm = info.Mode().Perm()
	case err == nil:
		f, err := fsys.Open(path, os.O_WRONLY, 0) // of a folder it says what is wrong
		if err != nil {
			return err
		}
		_, err = f.Write(text)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		return err
	}
	if err != nil {
		info = nil // a new file has the owner of who writes it
	}
	return writeWhole(fsys, path, text, perm, info, fsys.Rename)
}

// syncFolder makes a folder's names last. The file is in its place, and a caller
// that was told of an error would believe it is not; not every file system can.
func syncFolder(fsys FS, path string) { _ = fsys.SyncFolder(filepath.Dir(path)) }

// fillTemp writes text into a new hidden file beside path, down to the disk. like is
// the file whose owner it gets.
func fillTemp(fsys FS, path string, text []byte, perm fs.FileMode, like fs.FileInfo) (temp string, err error) {
	first := PrivateFile // until it has its owner
	if like == nil {
		first = perm // and what the umask leaves of it
	}
	f, temp, err := makeTemp(fsys, path, first)
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	if err == nil && like != nil {
		if err = giveTo(f, like); err == nil {
			err = f.Chmod(perm) // after the owner, which may take bits away
		}
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = fsys.Remove(temp)
		return "", err
	}
	return temp, nil
}

// makeTemp makes a file that whoever watches the folder does not read: its name
// begins with a dot and does not end like a manifest's.
func makeTemp(fsys FS, path string, perm fs.FileMode) (File, string, error) {
	for n := 0; ; n++ {
		temp := tempName(path)
		f, err := fsys.Open(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) && n < 100 {
			continue
		}
		if err == nil {
			_ = f.TryLock() // tells SweepTemp that its process lives; not every file system can
		}
		return f, temp, err
	}
}

// tempName keeps within what file systems allow for a name.
func tempName(path string) string {
	const most = 200
	base := filepath.Base(path)
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.rung-%08x", base[:min(len(base), most)], rand.Uint32()))
}

// SweepTemp removes the files of makeTemp from a folder that no process is writing, unless they
// were written after a time: between its last byte and its place a file is nobody's for a moment.
func SweepTemp(fsys FS, folder string, before time.Time) {
	entries, err := fsys.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !temporary.MatchString(e.Name()) {
			continue
		}
		path := filepath.Join(folder, e.Name())
		info, err := fsys.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || info.ModTime().After(before) {
			continue
		}
		f, err := fsys.Open(path, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		err = f.TryLock()
		_ = f.Close() // before it is removed, for Windows
		if err == nil {
			_ = fsys.Remove(path)
		}
	}
}

// temporary is a name that tempName gives.
var temporary = regexp.MustCompile(`^\..+\.rung-[0-9a-f]{8}$`)

// giveTo gives a file the owner of another.
func giveTo(f File, like fs.FileInfo) error {
	uid, gid, ok := fileOwner(like)
	if !ok {
		return nil
	}
	is, err := f.Stat()
	if err != nil {
		return err
	}
	if u, g, _ := fileOwner(is); u == uid && g == gid {
		return nil
	}
	if err := f.Chown(uid, gid); err != nil {
		return fmt.Errorf("it belongs to user %d, group %d, and writing would change that: %w", uid, gid, err)
	}
	return nil
}

// How long somebody else's lock is waited for, and how often it is tried.
const (
	lockTime = 5 * time.Second
	lockPoll = 2 * time.Millisecond
)

// lockFile takes a file's advisory lock. Where there are no locks it goes on without.
func lockFile(f File, patience time.Duration) error {
	for end := time.Now().Add(patience); ; time.Sleep(lockPoll) {
		err := f.TryLock()
		switch {
		case err == nil, errors.Is(err, errors.ErrUnsupported):
			return nil
		case !errors.Is(err, ErrLocked) || !time.Now().Before(end):
			return err
		}
	}
}
