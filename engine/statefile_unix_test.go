//go:build unix

package engine

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What stands in the place of a state file and is none is refused, with its
// reason, and nothing waits for it.
func TestStateFilesThatAreNone(t *testing.T) {
	kinds := map[string]struct {
		put  func(path string) error
		want string
	}{
		"fifo":     {func(p string) error { return syscall.Mkfifo(p, 0o600) }, "is a named pipe, not a file"},
		"folder":   {func(p string) error { return os.Mkdir(p, 0o700) }, "is a folder, not a file"},
		"device":   {func(p string) error { return os.Symlink("/dev/zero", p) }, "is a device, not a file"},
		"dangling": {func(p string) error { return os.Symlink("/nowhere/at/all", p) }, "is a link to what is not there"},
	}
	files := map[string]func(dir string) error{
		"audit.jsonl": func(dir string) error { return NewAudit(nil, dir).Write(AuditRecord{Title: "x"}) },
		filepath.Join("history", slug("prod eu/1")+".jsonl"): func(dir string) error {
			h, err := OpenHistory(nil, dir, "prod eu/1")
			if err == nil {
				_, err = h.Push(entry("one", 1))
			}
			return err
		},
		filepath.Join("plan", slug("test")+".json"): func(dir string) error {
			r := &planRunner{path: planPath(dir, "test"), context: "test"}
			return r.load()
		},
		filepath.Join("edit", "a.yaml"): func(dir string) error {
			_, err := ReadDraft(filepath.Join(dir, "edit", "a.yaml"))
			return err
		},
	}
	for kind, k := range kinds {
		for name, use := range files {
			t.Run(kind+" "+filepath.Base(name), func(t *testing.T) {
				dir := t.TempDir()
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := k.put(path); err != nil {
					t.Fatal(err)
				}
				done := make(chan error, 1)
				go func() { done <- use(dir) }()
				select {
				case err := <-done:
					if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), k.want) {
						t.Errorf("got %v", err)
					}
				case <-time.After(5 * time.Second):
					t.Error("it waits for ever")
				}
			})
		}
	}
}

// A state folder that others may look into is made private, which is said.
func TestStateFolderOpenToOthers(t *testing.T) {
	w := newLiveWorld(t, anp("one", 10, "tenant=blue", "in deny *"))
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
