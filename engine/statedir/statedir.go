package statedir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rung/sources/files"
)

// OpenFolder makes the state folder the user's alone if it is there, which note
// says. The error says why it cannot be used.
func OpenFolder(dir string) (note string, err error) { return OpenFolderOnDisk(files.OS, dir) }

func OpenFolderOnDisk(disk files.FS, dir string) (note string, err error) {
	return files.CheckFolder(disk, dir, isStateFile)
}

// SweepFolder removes what killed processes left half written in the state folder.
func SweepFolder(disk files.FS, dir string) {
	before := time.Now().Add(-SweepAge)
	files.SweepTemp(disk, dir, before)
	entries, err := disk.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() && isStateFile(e.Name()) {
			files.SweepTemp(disk, filepath.Join(dir, e.Name()), before)
		}
	}
}

// SweepAge is how long ago a file was written that a start takes for a leftover.
const SweepAge = time.Second

// isStateFile says whether a name in the state folder is one that Rung gives, or gave: views had
// how pages were set up.
func isStateFile(name string) bool {
	switch name {
	case "audit.jsonl", "history", "plan", "revert", "edit", "counts", "saved", "rung.log", "rung.log.old", "views", "lost+found":
		return true
	}
	// Reports, and what a kill left of a file that was being written.
	return strings.HasPrefix(name, "error-") && filepath.Ext(name) == ".txt" ||
		strings.HasPrefix(name, ".") && strings.Contains(name, ".rung-")
}

// OpenLog opens Rung's own log in the state folder, to be added to. One of more
// than most bytes is put aside first, as NAME.old.
func OpenLog(dir, name string, most int64) (*os.File, error) {
	path := filepath.Join(dir, name)
	f, err := files.OpenAppend(path)
	if err != nil {
		return nil, fmt.Errorf("open Rung's own log: %w", err)
	}
	info, err := f.Stat()
	if err == nil && info.Size() <= most {
		return f, nil
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = files.OS.Rename(path, path+".old")
	}
	if err != nil {
		return nil, fmt.Errorf("put Rung's old log aside: %w", err)
	}
	if f, err = files.OpenAppend(path); err != nil {
		return nil, fmt.Errorf("open Rung's own log: %w", err)
	}
	return f, nil
}
