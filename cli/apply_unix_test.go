//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rung/cli/command"
)

// From a folder of changes only regular files are read, and links to them; the
// others are said.
func TestApplyFolder(t *testing.T) {
	noLeaks(t)
	dir, changes := clusterCopy(t), t.TempDir()
	policies, err := os.ReadFile(filepath.Join(dir, "policies.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	real := filepath.Join(t.TempDir(), "real.yaml")
	if err := os.WriteFile(real, policies, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, filepath.Join(changes, "a.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(changes, "b.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(changes, "c.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, "apply", "--change", changes, "-f", dir, "--dry-run")
	if code := r.wait(); code != command.ExitOK {
		t.Errorf("exit %d\n%s", code, r.errs.String())
	}
	for _, want := range []string{"b.yaml: skipped: broken link",
		"c.yaml: skipped: a named pipe (FIFO); only regular files are read from folders"} {
		if !strings.Contains(r.errs.String(), want) {
			t.Errorf("no %q in\n%s", want, r.errs.String())
		}
	}
	if strings.Contains(r.errs.String(), "a.yaml") {
		t.Errorf("the link to a file is skipped\n%s", r.errs.String())
	}
}
