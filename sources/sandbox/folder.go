package sandbox

import (
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
	remove bool // the folder itself is ours
}

// openFolder makes and locks the instance's folder: the given one, or one of
// its own below the user's runtime directory, where it first removes what dead
// instances left.
func openFolder(dir string) (*labFolder, error) {
	if dir != "" {
		return openGivenFolder(dir)
	}
	base, err := baseFolder()
	if err != nil {
		return nil, err
	}
	// Making a folder and locking it are two steps; the base's lock keeps
	// others from taking the folder for a dead one in between.
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
			continue // a second sandbox of this process, or a process id met again
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

// lockPoll is how often a lock that somebody else holds is tried.
const lockPoll = 20 * time.Millisecond

// lockFile opens a file, no link, and locks it until it is closed. Unless wait is set,
// a lock that somebody else holds is an error.
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

// baseFolder is XDG_RUNTIME_DIR/rung, or a folder below the temporary
// directory that nobody else can have made.
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

// isPrivate says whether a path is a directory of ours that nobody else may
// enter.
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

// openGivenFolder takes a folder that the user names: one that is not there yet, is empty,
// or carries the mark of a sandbox before. In any other nothing is touched.
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
	if err := makePrivate(path); err != nil {
		return nil, err
	}
	if err := isPrivate(path); err != nil {
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
		return nil // private says what is wrong
	}
	if entries, err := os.ReadDir(path); err != nil || len(entries) > 0 {
		return nil
	}
	if err := os.Chmod(path, 0o700); err != nil {
		return fmt.Errorf("making the sandbox folder %s private: %w", path, err)
	}
	return nil
}

// checkUnused says why a folder is not to be taken: something is in it, and no mark.
func checkUnused(path string) error {
	if _, marked := readMark(path); marked {
		return nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	for _, e := range entries {
		// An instance that died between its lock and its mark left the lock alone.
		if fi, err := e.Info(); e.Name() != lockName || err != nil || !fi.Mode().IsRegular() || fi.Size() != 0 {
			return fmt.Errorf("holds files that are not a sandbox's (%q), and is left alone", e.Name())
		}
	}
	return nil
}

// cleanStale removes the folders of instances that no longer hold their lock: those
// that belong to this user and carry Rung's mark, and of them the files that Rung
// made.
func cleanStale(base string) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
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

// sweepFolder removes from a folder the files that its mark says sandboxes made, and
// nothing else.
func sweepFolder(path string) {
	names, _ := readMark(path)
	for _, name := range names {
		if name == labMark {
			RemoveLeftover(path)
			continue
		}
		removeFiles(path, name)
	}
}

// removeFiles removes all files that a zone's server makes: socket, control socket, database,
// its lock, and what a compaction writes. A link that has such a name goes, what it leads to
// stays.
func removeFiles(path, name string) {
	for _, file := range []string{name + ".sock", name + ".ctl", name + ".db", "." + name + ".db.~lock~", name + ".db.tmp",
		"." + name + ".db.tmp.~lock~"} {
		file = filepath.Join(path, file)
		if fi, err := os.Lstat(file); err == nil && !fi.IsDir() {
			_ = os.Remove(file)
		}
	}
}

// removeFiles removes what the sandbox made. Where somebody put something in, the folder
// stays, with the mark, so that it can be taken again.
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
