package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// use runs what a package brought into a root folder, as a user that owns nothing there.
func use(t *testing.T, root string, more ...string) {
	t.Helper()
	for _, name := range append(more, installed...) {
		if _, err := os.Lstat(filepath.Join(root, name)); err != nil {
			t.Errorf("not installed: %v", err)
		}
	}
	needRoot(t)
	for _, dir := range []string{root, filepath.Dir(root)} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "tmp"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(root, "tmp"), 0o1777); err != nil {
		t.Fatal(err)
	}
	checkVersion(t, output(t, inRoot(root, 1000, "/tmp", "/usr/bin/rung", "version")))
	demo(t, root, "1000:1000", "/tmp", "/usr/bin/rung")
}

// The package for Fedora and its like has sound digests, says what it is, and runs.
func TestRPM(t *testing.T) {
	rpm := one(t, "*.rpm")
	if text := output(t, command(t, "rpm", "-K", "--nosignature", rpm)); !strings.Contains(text, "digests OK") {
		t.Error(text)
	}
	text := output(t, command(t, "rpm", "-qip", "--requires", rpm))
	for _, want := range []string{"Name        : rung", "License     : Apache-2.0", "Vendor      : The Rung Authors", "Build Host  : localhost"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	root := t.TempDir()
	command(t, "cpio")
	unpacking := command(t, "sh", "-c", `"$1" "$2" | cpio --extract --make-directories --no-absolute-filenames --quiet`, "sh", command(t, "rpm2cpio").Path, rpm)
	unpacking.Dir = root
	output(t, unpacking)
	use(t, root, "usr/share/zsh/site-functions/_rung")
}

// The package for Alpine says what it is, and runs.
func TestAPK(t *testing.T) {
	root := unpack(t, one(t, "*.apk"))
	info, err := os.ReadFile(filepath.Join(root, ".PKGINFO"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pkgname = rung\n", "license = Apache-2.0\n", "datahash = "} {
		if !strings.Contains(string(info), want) {
			t.Errorf("no %q in\n%s", want, info)
		}
	}
	use(t, root, "usr/share/zsh/site-functions/_rung")
}
