package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"rung/model/clean"
)

// maxSocketPath is the longest path of a socket, in bytes: the kernel's own
// limit is 104 to 108 with the closing NUL.
const maxSocketPath = 100

const lockName = "lock"

// folder is the locked directory of one instance.
type folder struct {
	path   string
	lock   *os.File
	remove bool // the folder itself is ours
}

// openFolder makes and locks the instance's folder: the given one, or one of
// its own below the user's runtime directory, where it first removes what dead
// instances left.
func openFolder(dir string) (*folder, error) {
	if dir != "" {
		return openGiven(dir)
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
		return &folder{path: path, lock: lock, remove: true}, nil
	}
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
	if err := private(base); err != nil {
		return "", err
	}
	return base, nil
}

// private says whether a path is a directory of ours that nobody else may
// enter.
func private(path string) error {
	fi, err := os.Lstat(path)
	switch {
	case err != nil:
		return fmt.Errorf("sandbox folder: %w", err)
	case !fi.IsDir():
		return fmt.Errorf("sandbox folder %s is not a directory", path)
	case !ownedByUs(fi):
		return fmt.Errorf("sandbox folder %s belongs to somebody else", path)
	case openToOthers(fi):
		return fmt.Errorf("sandbox folder %s is open to others: its mode has to be 0700", path)
	}
	return nil
}

func openGiven(dir string) (*folder, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("sandbox folder %s: %w", dir, err)
	}
	err = os.Mkdir(path, 0o700)
	made := err == nil
	if err != nil && !errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("making the sandbox folder: %w", err)
	}
	if err := private(path); err != nil {
		return nil, err
	}
	lock, err := lockFile(filepath.Join(path, lockName), false)
	if err != nil {
		return nil, fmt.Errorf("sandbox folder %s is in use by another Rung: %w", path, err)
	}
	sweep(path)
	return &folder{path: path, lock: lock, remove: made}, nil
}

// cleanStale removes the folders of instances that no longer hold their lock.
func cleanStale(base string) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil || !e.IsDir() {
			continue
		}
		path := filepath.Join(base, e.Name())
		lock, err := lockFile(filepath.Join(path, lockName), false)
		if err != nil {
			continue // alive
		}
		_ = lock.Close()
		_ = os.RemoveAll(path)
	}
}

// ours are the files a sandbox makes, by their endings.
var ours = []string{".sock", ".db", ".ctl", ".~lock~", ".tmp"}

// sweep removes a sandbox's files from a folder, and nothing else.
func sweep(path string) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return
	}
	for _, e := range entries {
		for _, ending := range ours {
			if strings.HasSuffix(e.Name(), ending) && !e.IsDir() {
				_ = os.Remove(filepath.Join(path, e.Name()))
				break
			}
		}
	}
}

// close removes what the sandbox made.
func (f *folder) close() {
	sweep(f.path)
	_ = f.lock.Close()
	_ = os.Remove(filepath.Join(f.path, lockName))
	if f.remove {
		_ = os.Remove(f.path) // stays when somebody put something in
	}
}

// socket is the path of a zone's socket.
func (f *folder) socket(zone string) (string, error) {
	if zone == "" || strings.ContainsAny(zone, `/\:`) || strings.HasPrefix(zone, ".") || !clean.Is(zone) {
		return "", fmt.Errorf("zone name %q cannot be a file name", clean.Text(zone))
	}
	path := filepath.Join(f.path, zone+".sock")
	if len(path) >= maxSocketPath {
		return "", fmt.Errorf("socket path %s is %d bytes long, at most %d are possible: choose a shorter --sandbox-dir",
			path, len(path), maxSocketPath-1)
	}
	return path, nil
}
