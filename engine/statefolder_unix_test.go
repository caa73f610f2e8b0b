//go:build unix

package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rung/test/given"
)

// A state folder that others may look into is made private, which is said.
func TestStateFolderOpenToOthers(t *testing.T) {
	w := newLiveWorld(t, given.ANP("one", 10, "tenant=blue", "in deny *"))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "rung.log"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r := w.run(func(c *Config) { c.StateDir = dir })
	if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v, %v", st.Mode(), err)
	}
	if got := strings.Join(r.Notices(), "\n"); !strings.HasPrefix(got, dir+" was open to other users (mode 0755)") {
		t.Errorf("said: %q", got)
	}
}

// A start removes files of the state folder that a killed process left half written.
func TestStartSweepsStateFolder(t *testing.T) {
	w := newLiveWorld(t, given.ANP("one", 10, "tenant=blue", "in deny *"))
	dir := t.TempDir()
	left := filepath.Join(dir, "history", ".lab.jsonl.rung-0123abcd")
	if err := os.MkdirAll(filepath.Dir(left), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(left, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(left, long, long); err != nil {
		t.Fatal(err)
	}
	w.run(func(c *Config) { c.StateDir = dir })
	if _, err := os.Lstat(left); err == nil {
		t.Error("it stays")
	}
}
