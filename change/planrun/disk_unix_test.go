//go:build unix

package planrun

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rung/change/history"
	"rung/engine/statedir"
	"rung/test/wait"
)

// What stands in the place of a state file and is none is refused, with its
// reason, and nothing waits for it.
func TestStateFilesThatAreNone(t *testing.T) {
	kinds := map[string]struct {
		put  func(path string) error
		want string
	}{
		"fifo":     {func(p string) error { return syscall.Mkfifo(p, 0o600) }, "is a named pipe (FIFO), not a file"},
		"folder":   {func(p string) error { return os.Mkdir(p, 0o700) }, "is a folder, not a file"},
		"device":   {func(p string) error { return os.Symlink("/dev/zero", p) }, "is a device, not a file"},
		"dangling": {func(p string) error { return os.Symlink("/nowhere/at/all", p) }, "is a link to a file that does not exist"},
	}
	files := map[string]func(dir string) error{
		"audit.jsonl": func(dir string) error { return history.NewAudit(nil, dir).Write(history.AuditRecord{Title: "x"}) },
		history.OpenJournal(nil, "/", history.Changes, "prod eu/1").Path[1:]: func(dir string) error {
			h, err := history.Open(nil, dir, "prod eu/1")
			if err == nil {
				_, err = h.Push(history.Entry{Title: "one"})
			}
			return err
		},
		history.OpenJournal(nil, "/", history.PlanJournal, "test").Path[1:]: func(dir string) error {
			r := New(nil, Config{Dir: dir, Context: "test"})
			return r.Load()
		},
		filepath.Join("edit", "a.yaml"): func(dir string) error {
			_, err := statedir.ReadDraft(filepath.Join(dir, "edit", "a.yaml"))
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
				case <-time.After(wait.Patience):
					t.Error("it waits for ever")
				}
			})
		}
	}
}
