package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rung/test/install"
)

// Two clones in folders of different names and depths, with a tag, give the same bytes.
func TestTwice(t *testing.T) {
	install.Soak(t)
	root, err := install.Root()
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	sums := map[string]string{}
	for _, dir := range []string{filepath.Join(base, "a"), filepath.Join(base, "another", "folder", "rung")} {
		run := func(name string, args ...string) {
			t.Helper()
			cmd := exec.Command(name, args...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", cmd, err, out)
			}
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		run("git", "clone", "--quiet", "--no-hardlinks", root, ".")
		run("git", "-c", "user.name=test", "-c", "user.email=", "tag", "--force", "v0.0.1")
		began := time.Now()
		args := []string{"release"}
		if only := os.Getenv("RUNG_PLATFORMS"); only != "" {
			args = append(args, "PLATFORMS="+only)
		}
		run("make", args...)
		t.Logf("make release in %s: %.0f s", dir, time.Since(began).Seconds())
		text, err := os.ReadFile(filepath.Join(dir, "bin", "release", checksumFile))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
			if was := sums[name]; was != "" && was != sum {
				t.Errorf("%s: %s in one folder, %s in the other", name, was, sum)
			}
			if sums[name] == "" {
				t.Logf("%s", line[:len(line)-1])
			}
			sums[name] = sum
		}
		for name := range sums {
			if info, err := os.Stat(filepath.Join(dir, "bin", "release", name)); err != nil {
				t.Error(err)
			} else {
				t.Logf("%9d  %s", info.Size(), name)
			}
		}
	}
	if len(sums) == 0 {
		t.Error("no artefact")
	}
}
