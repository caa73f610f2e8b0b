package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"rung/test/install"
	"rung/test/term"
)

// DistVar names the folder of the release under test, KubeVar that of kubectl; make release-test
// sets them.
const DistVar, KubeVar = "RUNG_RELEASE", "RUNG_KUBE"

// dist is the folder of the release under test.
func dist(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(DistVar)
	if dir == "" {
		t.Skipf("%s names no release: make release-test does", DistVar)
	}
	return dir
}

// one is the one artefact that a pattern fits.
func one(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dist(t), pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %d artefacts: %v %v", pattern, len(found), found, err)
	}
	return found[0]
}

// archive is the archive for this machine.
func archive(t *testing.T, kind string) string {
	t.Helper()
	return one(t, "rung_*_"+runtime.GOOS+"_"+runtime.GOARCH+kind)
}

// output is what a command prints, which must succeed.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var said strings.Builder
	cmd.Stderr = &said
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(cmd.Args, " "), err, text, said.String())
	}
	return string(text)
}

// command is a program of this machine; where there is none the test is skipped, or fails.
func command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	return exec.Command(install.Server(t, name), args...)
}

// needRoot ends a test that has to change its root folder and user, where it may not.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() == 0 {
		return
	}
	if os.Getenv(install.RequireVar) == "1" {
		t.Fatalf("not root, and %s=1: make release-test SUDO=\"sudo -n -E\"", install.RequireVar)
	}
	t.Skip("not root: this test did not run (make release-test SUDO=\"sudo -n -E\")")
}

// inRoot is a command in a root folder, by a user; home is its folder and all that it is told.
func inRoot(root string, user uint32, home string, args ...string) *exec.Cmd {
	return &exec.Cmd{
		Path: args[0], Args: args, Dir: "/", Env: []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + home},
		SysProcAttr: &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: user, Gid: user}},
	}
}

// checkVersion holds the version of an installed program against the release.
func checkVersion(t *testing.T, text string) {
	t.Helper()
	built, err := readBuilt(dist(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"rung v" + built.Version + "\n", "\ncommit              " + built.Commit, "\ndate of the commit  20", "\nGo                  go", "\nOVN-Kubernetes      ", "\nnetwork-policy-api  v"} {
		if !strings.Contains(text, want) {
			t.Errorf("rung version has no %q:\n%s", want, text)
		}
	}
}

// demo opens the demo of a program in a root folder, by a user, to its first ladder.
func demo(t *testing.T, root, user, home, program string, more ...string) {
	t.Helper()
	d := console(t, root, user, home, append([]string{program, "demo"}, more...)...)
	took := d.WaitFor("cluster-control")
	t.Logf("the first ladder after %v", took)
	d.Press("ctrl+c")
}

// console starts a program on a terminal in a root folder, by a user.
func console(t *testing.T, root, user, home string, args ...string) *term.Driver {
	t.Helper()
	return term.Start(t, term.Options{
		Path: install.Server(t, "chroot"), Args: append([]string{"--userspec=" + user, root}, args...),
		Env: []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "TMPDIR=/tmp", "HOME=" + home, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "XDG_DATA_HOME=", "XDG_CACHE_HOME=", "XDG_RUNTIME_DIR="},
	})
}

// unpack unpacks an archive with tar, which knows how it is compressed.
func unpack(t *testing.T, path string) string {
	t.Helper()
	dir := t.TempDir()
	output(t, command(t, "tar", "-x", "--no-same-owner", "-f", path, "-C", dir))
	return dir
}
