package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"rung/sources/files"
)

const lockName = "lock"

// labFolder is the locked directory of one instance.
type labFolder struct {
	path   string
	lock   io.Closer
	mark   *folderMark
	remove bool // the folder itself was made here
}

// openFolder makes and locks the instance's folder: the given one, or a new one below the user's runtime
// directory. In the second case it first removes the files of dead instances.
func openFolder(dir string) (*labFolder, error) {
	if dir != "" {
		return openGivenFolder(dir)
	}
	base, err := baseFolder()
	if err != nil {
		return nil, err
	}
	// Between making and locking a folder, the base's lock keeps others from taking the folder for a dead one.
	gate, err := lockFile(filepath.Join(base, lockName), true)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", base, err)
	}
	defer gate.Close()
	cleanStale(base)
	for n := os.Getpid(); ; n++ {
		path := filepath.Join(base, strconv.Itoa(n))
		err := os.Mkdir(path, 0o700)
		if errors.Is(err, os.ErrExist) {
			continue // a second sandbox of this process, or a reused process id
		}
		if err != nil {
			return nil, fmt.Errorf("making the sandbox folder: %w", err)
		}
		lock, err := lockFile(filepath.Join(path, lockName), false)
		if err != nil {
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
		f := &labFolder{path: path, lock: lock, remove: true}
		if f.mark, err = newMark(path); err != nil {
			f.removeFiles()
			return nil, err
		}
		return f, nil
	}
}

// lockPoll is how often to retry a lock that another instance holds.
const lockPoll = 20 * time.Millisecond

// lockFile opens a file (no link) and locks it until it is closed. Without wait, a held lock is an error.
func lockFile(path string, wait bool) (io.Closer, error) {
	if fi, err := os.Lstat(path); err == nil && !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := files.OS.Open(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for err = f.TryLock(); wait && errors.Is(err, files.ErrLocked); err = f.TryLock() {
		time.Sleep(lockPoll)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// baseFolder returns XDG_RUNTIME_DIR/rung, or a folder below the temporary directory that belongs to this
// user.
func baseFolder() (string, error) {
	base := filepath.Join(os.TempDir(), "rung-"+strconv.Itoa(os.Getuid()))
	if run := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
		if fi, err := os.Stat(run); err == nil && fi.IsDir() {
			base = filepath.Join(run, "rung")
		}
	}
	if err := os.Mkdir(base, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("making the sandbox folder: %w", err)
	}
	if err := isPrivate(base); err != nil {
		return "", err
	}
	return base, nil
}

// isPrivate returns an error unless path is our directory and closed to other users.
func isPrivate(path string) error {
	fi, err := os.Lstat(path)
	switch {
	case err != nil:
		return fmt.Errorf("sandbox folder: %w", err)
	case !fi.IsDir():
		return fmt.Errorf("sandbox folder %s is not a directory", path)
	case !files.IsOwn(fi):
		return fmt.Errorf("sandbox folder %s belongs to another user", path)
	case files.OpenToOthers(fi):
		return fmt.Errorf("sandbox folder %s is open to other users; its mode must be 0700", path)
	}
	return nil
}

// openGivenFolder opens the user's folder if it is new, empty, or marked by an earlier sandbox. It leaves any
// other folder untouched.
func openGivenFolder(dir string) (_ *labFolder, err error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("sandbox folder %s: %w", dir, err)
	}
	err = os.Mkdir(path, 0o700)
	made := err == nil
	if err != nil && !errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("making the sandbox folder: %w", err)
	}
	if err := cmp.Or(makePrivate(path), isPrivate(path)); err != nil {
		return nil, err
	}
	if err := checkUnused(path); err != nil {
		return nil, fmt.Errorf("sandbox folder %s %w; give --sandbox-dir an empty or new folder", path, err)
	}
	f := &labFolder{path: path, remove: made}
	if f.lock, err = lockFile(filepath.Join(path, lockName), false); err != nil {
		return nil, fmt.Errorf("sandbox folder %s is in use by another Rung: %w", path, err)
	}
	sweepFolder(path)
	if f.mark, err = newMark(path); err != nil {
		f.removeFiles()
		return nil, err
	}
	return f, nil
}

// makePrivate makes an empty folder of ours private, as a new one is.
func makePrivate(path string) error {
	fi, err := os.Lstat(path)
	if err != nil || !fi.IsDir() || !files.IsOwn(fi) || !files.OpenToOthers(fi) {
		return nil // isPrivate reports the reason
	}
	if entries, err := os.ReadDir(path); err != nil || len(entries) > 0 {
		return nil
	}
	if err := os.Chmod(path, 0o700); err != nil {
		return fmt.Errorf("making the sandbox folder %s private: %w", path, err)
	}
	return nil
}

// checkUnused returns an error for an unmarked folder with files in it.
func checkUnused(path string) error {
	if _, marked := readMark(path); marked {
		return nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	for _, e := range entries {
		// An instance that died between locking and marking left only the lock.
		if fi, err := e.Info(); e.Name() != lockName || err != nil || !fi.Mode().IsRegular() || fi.Size() != 0 {
			return fmt.Errorf("has files that no sandbox made (%q): left unchanged", e.Name())
		}
	}
	return nil
}

// cleanStale removes the files that Rung made in folders of dead instances. They must belong to this user,
// carry Rung's mark, and be unlocked.
func cleanStale(base string) {
	entries, _ := os.ReadDir(base)
	for _, e := range entries {
		path := filepath.Join(base, e.Name())
		if _, err := strconv.Atoi(e.Name()); err != nil || isPrivate(path) != nil || checkUnused(path) != nil {
			continue
		}
		lock, err := lockFile(filepath.Join(path, lockName), false)
		if err != nil {
			continue // alive
		}
		(&labFolder{path: path, lock: lock, remove: true}).removeFiles()
	}
}

// sweepFolder removes exactly the files that a folder's mark lists.
func sweepFolder(path string) {
	names, _ := readMark(path)
	for _, name := range names {
		if name == labMark {
			RemoveLeftover(path)
		} else {
			removeFiles(path, name)
		}
	}
}

// removeFiles removes all files of a zone's server: socket, control socket, database, its lock, and the files
// of a compaction. It removes links themselves, not their targets.
func removeFiles(path, name string) {
	for _, file := range []string{name + ".sock", name + ".ctl", name + ".db", "." + name + ".db.~lock~", name + ".db.tmp",
		"." + name + ".db.tmp.~lock~"} {
		file = filepath.Join(path, file)
		if fi, err := os.Lstat(file); err == nil && !fi.IsDir() {
			_ = os.Remove(file)
		}
	}
}

// removeFiles removes the sandbox's files, and the folder if it was made here. A folder with other files stays
// and keeps its mark, so that it can be used again.
func (f *labFolder) removeFiles() {
	sweepFolder(f.path)
	if f.mark != nil {
		_ = f.mark.file.Close()
	}
	entries, err := os.ReadDir(f.path)
	if err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() != lockName && e.Name() != markName }) {
		f.remove = false
	} else {
		_ = os.Remove(filepath.Join(f.path, markName))
	}
	_ = f.lock.Close()
	_ = os.Remove(filepath.Join(f.path, lockName))
	if f.remove {
		_ = os.Remove(f.path)
	}
}
