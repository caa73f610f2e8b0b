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

// OpenFolder makes an existing state folder private; note says if it changed that. The error says why the
// folder cannot be used.
func OpenFolder(dir string) (note string, err error) { return OpenFolderOnDisk(files.OS, dir) }

func OpenFolderOnDisk(disk files.FS, dir string) (note string, err error) {
	return files.CheckFolder(disk, dir, isStateFile)
}

// SweepFolder removes half-written files of killed processes from the state folder.
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

// SweepAge is the age from which a start treats a temporary file as a leftover.
const SweepAge = time.Second

// isStateFile reports whether Rung uses, or used, a name in the state folder: views held page settings.
func isStateFile(name string) bool {
	switch name {
	case "audit.jsonl", "history", "plan", "revert", "edit", "counts", "saved", "rung.log", "rung.log.old", "views", "lost+found":
		return true
	}
	// Reports, and temporary files of a killed process.
	return strings.HasPrefix(name, "error-") && filepath.Ext(name) == ".txt" ||
		strings.HasPrefix(name, ".") && strings.Contains(name, ".rung-")
}

// OpenLog opens Rung's own log in the state folder for appending. A log of more than most bytes is first
// renamed to NAME.old.
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
