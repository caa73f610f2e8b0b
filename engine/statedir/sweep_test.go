package statedir

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"rung/sources/files"
)

// A start removes what killed processes left in every folder of the state, and nothing that a
// process still writes or that is somebody else's.
func TestSweepFolder(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour)
	write := func(name string, at time.Time) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	gone := []string{write(".audit.jsonl.rung-0123abcd", old), write("history/.lab.json.rung-00000001", old), write("edit/.x.rung-ffffffff", old)}
	held := write("plan/.lab.json.rung-00000002", old)
	stay := []string{held, write("revert/.lab.json.rung-00000003", time.Now().Add(time.Hour)), write("history/lab.jsonl", old),
		write("mine/.x.rung-00000004", old), write("history/.x.rung-4", old)}
	f, err := files.OS.Open(held, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.TryLock(); err != nil {
		t.Fatal(err)
	}
	SweepFolder(files.OS, dir)
	for _, path := range gone {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s stays", path)
		}
	}
	for _, path := range stay {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
}
