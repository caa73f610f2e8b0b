//go:build unix

package manifests

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rung/sources/files"
	"rung/test/wait"
)

// A file that has another name would part from it: the other name would keep
// the old policies.
func TestWriteBackOfAHardLink(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "b.yaml")
	put(t, path, commented)
	if err := os.Link(path, other); err != nil {
		t.Fatal(err)
	}
	f, p := readOne(t, path)
	if _, err := writeBack(files.OS, f, setEdit(p, setPriority(36))); err == nil || !strings.Contains(err.Error(), "it has hard links: 2 names") {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{path, other} {
		if got, err := os.ReadFile(name); err != nil || string(got) != commented {
			t.Errorf("%s: %v %q", name, err, got)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

// Root must not take a user's file over, and whoever may not give a file to its
// owner must not write it.
func TestWriteBackKeepsTheOwner(t *testing.T) {
	if os.Getuid() != 0 {
		return // who owns only files of their own; safefile's tests play the rest
	}
	path := filepath.Join(t.TempDir(), "a.yaml")
	put(t, path, commented)
	if err := os.Chown(path, 12345, 23456); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o664); err != nil {
		t.Fatal(err)
	}
	f, p := readOne(t, path)
	if _, err := writeBack(files.OS, f, setEdit(p, setPriority(36))); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid != 12345 || st.Gid != 23456 || info.Mode().Perm() != 0o664 {
		t.Errorf("owned by %d:%d with mode %v", st.Uid, st.Gid, info.Mode())
	}
}

// Somebody appends lines, up to five a millisecond and with pauses, while Rung writes:
// whatever the appender was told is written stays in the file, in what was put aside, or
// nowhere to be missed.
func TestWriteBackLosesNoEdit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	put(t, path, commented)
	stop, lines := make(chan struct{}), make(chan []string, 1)
	go func() {
		var wrote []string
		for n := 0; ; n++ {
			select {
			case <-stop:
				lines <- wrote
				return
			default:
			}
			line := "# line " + strings.Repeat("x", n%7) + " " + time.Now().Format(time.RFC3339Nano) + "\n"
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				continue // not there for a moment: nothing was written
			}
			if _, err := f.WriteString(line); err == nil {
				wrote = append(wrote, line)
			}
			_ = f.Close()
			pause := 200 * time.Microsecond
			if n%100 == 99 { // sooner or later long enough for a change, however slow the disk is
				pause = time.Duration(n) * time.Millisecond / 4
			}
			time.Sleep(pause)
		}
	}()
	wrote, refused := 0, 0
	for began := time.Now(); time.Since(began) < 2*time.Second || wrote == 0 && time.Since(began) < wait.Patience; {
		f, p := readOne(t, path)
		switch _, err := writeBack(files.OS, f, setEdit(p, setPriority(int32(wrote%90)))); {
		case err == nil:
			wrote++
		case errors.Is(err, ErrChanged):
			refused++
		default:
			t.Fatal(err)
		}
	}
	close(stop)
	appended := <-lines
	var kept strings.Builder
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "a.yaml" && !strings.HasPrefix(e.Name(), "a.yaml.orig") {
			t.Errorf("left behind: %s", e.Name())
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		kept.Write(text)
	}
	lost := 0
	for _, l := range appended {
		if !strings.Contains(kept.String(), l) {
			lost++
		}
	}
	t.Logf("%d changes made, %d refused, %d lines appended meanwhile, %d files", wrote, refused, len(appended), len(entries))
	if lost > 0 || wrote == 0 || len(appended) == 0 {
		t.Errorf("%d of %d lines are lost (%d changes)", lost, len(appended), wrote)
	}
}
