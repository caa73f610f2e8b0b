package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// cleanRoot is a copy of the smallest Debian, with nothing else in it. The original is made once
// and kept.
func cleanRoot(t *testing.T) string {
	t.Helper()
	needRoot(t)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(cache, "rung-ci", "root")
	complete := filepath.Join(kept, "..", "root.complete")
	if _, err := os.Stat(complete); err != nil {
		if err := os.RemoveAll(kept); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(kept, 0o755); err != nil {
			t.Fatal(err)
		}
		name, mirror := debian(t)
		output(t, command(t, "debootstrap", "--variant=minbase", name, kept, mirror))
		if err := os.WriteFile(complete, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root := filepath.Join(t.TempDir(), "root")
	output(t, command(t, "cp", "-a", kept, root))
	return root
}

// debian is the release of this machine, and the mirror that it installs from.
func debian(t *testing.T) (name, mirror string) {
	t.Helper()
	text := output(t, exec.Command("sh", "-c", ". /etc/os-release; echo $VERSION_CODENAME"))
	targets := output(t, command(t, "apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI)", "Created-By: Packages"))
	for line := range strings.Lines(targets) {
		origin, uri, _ := strings.Cut(strings.TrimSpace(line), " ")
		if (origin == "Debian" || origin == "Ubuntu") && !strings.Contains(uri, "security") {
			return strings.TrimSpace(text), uri
		}
	}
	t.Fatal("no mirror among apt's sources")
	return "", ""
}

// filesOf lists a root folder, without the notes of dpkg.
func filesOf(t *testing.T, root string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if !strings.HasPrefix(rel, "var/lib/dpkg") && !strings.HasPrefix(rel, "var/log") {
			out = append(out, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// installed are the files that every package brings along.
var installed = []string{"usr/bin/rung", "usr/bin/kubectl-rung", "usr/bin/kubectl_complete-rung", "usr/share/man/man1/rung.1.gz",
	"usr/share/man/man1/rung-ladder.1.gz", "usr/share/bash-completion/completions/rung", "usr/share/fish/vendor_completions.d/rung.fish",
	"usr/share/doc/rung/LICENSE", "usr/share/doc/rung/NOTICE", "usr/share/doc/rung/LICENSES"}

// The package for Debian installs into a system with nothing else, runs, and leaves nothing.
func TestDeb(t *testing.T) {
	deb := one(t, "*.deb")
	root := cleanRoot(t)
	before := filesOf(t, root)
	output(t, command(t, "cp", deb, filepath.Join(root, "tmp", "rung.deb")))
	output(t, inRoot(root, 0, "/root", "/usr/bin/dpkg", "-i", "/tmp/rung.deb"))
	if err := os.Remove(filepath.Join(root, "tmp", "rung.deb")); err != nil {
		t.Fatal(err)
	}
	after := filesOf(t, root)
	for _, name := range append(installed, "usr/share/doc/rung/copyright", "usr/share/zsh/vendor-completions/_rung") {
		if !slices.Contains(after, name) {
			t.Errorf("not installed: %s", name)
		}
	}
	checkVersion(t, output(t, inRoot(root, 0, "/root", "/usr/bin/rung", "version")))
	if text := output(t, inRoot(root, 0, "/root", "/usr/bin/kubectl-rung", "--help")); !strings.Contains(text, "\n  kubectl rung [flags]") {
		t.Error(text)
	}
	demo(t, root, "0:0", "/root", "/usr/bin/rung")
	output(t, inRoot(root, 0, "/root", "/usr/bin/dpkg", "-r", "rung"))
	for _, name := range filesOf(t, root) {
		// The state folder is the user's; docs/install.md says where it is.
		if !slices.Contains(before, name) && !strings.HasPrefix(name, "root/.local") && !strings.HasPrefix(name, "root/.config") && !strings.HasPrefix(name, "root/.cache") && !strings.HasPrefix(name, "tmp/rung") {
			t.Errorf("left behind: %s", name)
		}
	}
}

// Both archives run in a system with nothing else.
func TestArchives(t *testing.T) {
	root := cleanRoot(t)
	for _, kind := range []string{".tar.gz", ".tar.xz"} {
		dir := unpack(t, archive(t, kind))
		for _, name := range []string{"LICENSE", "NOTICE", "LICENSES", "AUTHORS", "CHANGELOG.md", "man/rung.1.gz", "completions/_rung"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		}
		output(t, command(t, "cp", filepath.Join(dir, "rung"), filepath.Join(root, "usr/local/bin/rung")))
		checkVersion(t, output(t, inRoot(root, 0, "/root", "/usr/local/bin/rung", "version")))
	}
	demo(t, root, "0:0", "/root", "/usr/local/bin/rung")
}
