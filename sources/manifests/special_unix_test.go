//go:build unix

package manifests

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rung/model"
)

func mkfifo(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

// ends calls f and fails when it does not return.
func ends(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("the read does not end")
	}
}

// Only regular files are read from a folder; what else has a manifest's name is
// said, each with its kind.
func TestFolderOfSpecialFiles(t *testing.T) {
	dir, err := os.MkdirTemp("", "m") // short: a socket lies in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("a.yaml"), anp("a", 1))
	mkfifo(t, at("fifo.yaml"))
	l, err := net.Listen("unix", at("sock.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for link, to := range map[string]string{
		"dangling.yaml": "nowhere.yaml", "device.yaml": "/dev/zero", "folder.yaml": "/", "linked.yaml": "a.yaml", "pipe.yaml": "fifo.yaml",
	} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	ends(t, func() {
		r, err := Read(t.Context(), Options{Paths: []string{dir}})
		if err != nil {
			t.Error(err)
			return
		}
		if len(r.Objects) != 1 {
			t.Errorf("%d objects, want the one of a.yaml", len(r.Objects))
		}
		var got []string
		for _, b := range r.Broken {
			got = append(got, fmt.Sprintf("%s %s %s", b.Severity, filepath.Base(b.Origin.File), b.Message))
		}
		want := []string{
			"error dangling.yaml skipped: a broken link",
			"warning device.yaml skipped: a device; only regular files are read from folders",
			"warning fifo.yaml skipped: a named pipe (FIFO); only regular files are read from folders",
			"warning folder.yaml skipped: a link to a folder",
			"warning pipe.yaml skipped: a named pipe (FIFO); only regular files are read from folders",
			"warning sock.yaml skipped: a socket; only regular files are read from folders",
		}
		if !slices.Equal(got, want) {
			t.Errorf("said:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// A FIFO that is named is read, once somebody writes; without a writer the read
// ends with its context, and so does that of an input that never ends.
func TestNamedFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	mkfifo(t, path)
	go func() { _ = os.WriteFile(path, []byte(anp("a", 1)), 0) }()
	ends(t, func() {
		r, err := Read(t.Context(), Options{Paths: []string{path}})
		if err != nil || len(r.Objects) != 1 || len(r.Broken) > 0 {
			t.Errorf("%v, %+v", err, r)
			return
		}
		if r.Files[0].Writable {
			t.Error("a FIFO can be written back to")
		}
	})
	pipe, other, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	defer other.Close()
	for _, o := range []Options{{Paths: []string{path}}, {Paths: []string{"-"}, Stdin: pipe}} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		ends(t, func() {
			if _, err := Read(ctx, o); !errors.Is(err, context.Canceled) {
				t.Errorf("%v: %v", o.Paths, err)
			}
		})
	}
	// Lets the goroutine go that waits in open.
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
}

// A device that never ends is bounded like any file.
func TestNamedDevice(t *testing.T) {
	ends(t, func() {
		r, err := Read(t.Context(), Options{Paths: []string{"/dev/zero"}, Limits: Limits{FileSize: 1 << 20}})
		if err != nil || len(r.Broken) != 1 || !strings.Contains(r.Broken[0].Message, "exceeds the limit of 1 MiB") {
			t.Errorf("%v, %+v", err, r.Broken)
		}
	})
}

// A watched FIFO is read once; a file that becomes one stays as it was and is
// said, and the others go on being read.
func TestWatchedFileBecomesFIFO(t *testing.T) {
	dir := t.TempDir()
	path, other, pipe := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "b.yaml"), filepath.Join(dir, "pipe")
	write(t, path, anp("a", 1))
	write(t, other, anp("b", 2))
	mkfifo(t, pipe)
	go func() { _ = os.WriteFile(pipe, []byte(anp("c", 3)), 0) }()
	f := startWatch(t, Options{Paths: []string{path, other, pipe}})
	f.want("a=1 b=2 c=3")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	mkfifo(t, path)
	said := func() bool {
		return slices.ContainsFunc(f.broken, func(b model.Broken) bool { return strings.Contains(b.Message, "is a named pipe (FIFO) now") })
	}
	f.until("the FIFO is said", said)
	write(t, other, anp("b", 22))
	f.until("the other file is read, and all objects are there", func() bool { return strings.HasPrefix(f.text(), "a=1 b=22 c=3") && said() })
}
