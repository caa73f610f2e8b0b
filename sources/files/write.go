package files

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// The modes of private files: policies, undo texts and the audit tell how a cluster can be reached.
const (
	PrivateFile   fs.FileMode = 0o600
	PrivateFolder fs.FileMode = 0o700
)

// ErrLocked means another program holds the file's lock.
var ErrLocked = errors.New("another program has locked it")

// CreateFile writes a new file, whole or not at all. The error is fs.ErrExist if path exists; its file stays.
func CreateFile(fsys FS, path string, text []byte, perm fs.FileMode) error {
	// Checked first, so that a full disk does not hide the better reason.
	if _, err := fsys.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return writeWhole(fsys, path, text, perm, nil, fsys.RenameNew)
}

// writeWhole writes text to a temporary file and moves that to path. On an error no file stays behind.
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

// ReplaceFile writes a private file, whole or not at all. It replaces only a regular file of the user's.
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

// SaveFile writes a file that the user named, whole or not at all. An existing file keeps its owner and
// permissions; a device or a pipe is written to.
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
		f, err := fsys.Open(path, os.O_WRONLY, 0) // fails with a clear error for a folder
		if err != nil {
			return err
		}
		_, err = f.Write(text)
		return cmp.Or(err, f.Close())
	}
	if err != nil {
		info = nil // a new file belongs to the user
	}
	return writeWhole(fsys, path, text, perm, info, fsys.Rename)
}

// syncFolder writes a folder's names to the disk, if the file system can. It returns no error: the file is
// already in place, and the caller would believe it is not.
func syncFolder(fsys FS, path string) { _ = fsys.SyncFolder(filepath.Dir(path)) }

// fillTemp writes text to a new hidden file in the folder of path, and syncs it. A non-nil like gives the owner.
func fillTemp(fsys FS, path string, text []byte, perm fs.FileMode, like fs.FileInfo) (temp string, err error) {
	first := PrivateFile // until the owner is set
	if like == nil {
		first = perm // less the umask
	}
	f, temp, err := makeTemp(fsys, path, first)
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	if err == nil && like != nil {
		if err = copyOwner(f, like); err == nil {
			err = f.Chmod(perm) // after the owner, since chown may clear bits
		}
	}
	if err == nil {
		err = f.Sync()
	}
	if err = cmp.Or(err, f.Close()); err != nil {
		_ = fsys.Remove(temp)
		return "", err
	}
	return temp, nil
}

// makeTemp makes a file that watchers of the folder ignore: a hidden one without the ending of a manifest.
func makeTemp(fsys FS, path string, perm fs.FileMode) (File, string, error) {
	for n := 0; ; n++ {
		temp := tempName(path)
		f, err := fsys.Open(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) && n < 100 {
			continue
		}
		if err == nil {
			_ = f.TryLock() // lets SweepTemp see that this process lives; not every file system can
		}
		return f, temp, err
	}
}

// tempName returns a random name within the length limits of file systems.
func tempName(path string) string {
	const most = 200
	base := filepath.Base(path)
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.rung-%08x", base[:min(len(base), most)], rand.Uint32()))
}

// SweepTemp removes files left by makeTemp that no process has locked, if they are older than the time before:
// a file is briefly unlocked between its last byte and its rename.
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
		_ = f.Close() // Windows cannot remove open files
		if err == nil {
			_ = fsys.Remove(path)
		}
	}
}

// temporary matches the names made by tempName.
var temporary = regexp.MustCompile(`^\..+\.rung-[0-9a-f]{8}$`)

// copyOwner gives a file the owner of another, if it differs.
func copyOwner(f File, like fs.FileInfo) error {
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
		return fmt.Errorf("it belongs to user %d, group %d; writing would change its owner or group: %w", uid, gid, err)
	}
	return nil
}

// How long to wait for another program's lock, and how often to try.
const (
	lockTime = 5 * time.Second
	lockPoll = 2 * time.Millisecond
)

// lockFile takes a file's advisory lock, or goes on without if the system has no locks.
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
