package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"rung/sources/files"
	"rung/test/faultfs"
)

// A program that has opened the file and has not written yet keeps the very file.
func TestSwapWaitsForWriters(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	write(t, path, before)
	var theirs *os.File
	disk := &faultfs.FS{Before: func(op faultfs.Op) error {
		if op.Kind == "exchange" && theirs == nil {
			var err error
			theirs, err = os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			return err
		}
		return nil
	}}
	if err := files.SwapText(disk, path, []byte(before), []byte(after), merge); !errors.Is(err, files.ErrBusy) {
		t.Errorf("got %v", err)
	}
	if _, err := theirs.WriteString("theirs\n"); err != nil {
		t.Fatal(err)
	}
	if err := files.SwapText(files.OS, path, []byte(before+"theirs\n"), []byte(after), merge); !errors.Is(err, files.ErrBusy) {
		t.Errorf("while it is open: %v", err)
	}
	_ = theirs.Close()
	if got := read(t, path); got != before+"theirs\n" || len(linkCount(t, dir)) != 1 && runtime.GOOS != "windows" { // a name of an open file stays there
		t.Errorf("%q %v", got, linkCount(t, dir))
	}
	if err := files.SwapText(files.OS, path, []byte(before+"theirs\n"), []byte(after), merge); err != nil {
		t.Errorf("once it is closed: %v", err)
	}
}

// Who holds the file's lock is waited for.
func TestSwapHonoursALock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	write(t, path, before)
	held, err := files.OpenLocked(files.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	freed := make(chan time.Time, 1)
	time.AfterFunc(100*time.Millisecond, func() { freed <- time.Now(); _ = held.Close() })
	err = files.SwapText(files.OS, path, []byte(before), []byte(after), merge)
	if at := <-freed; err != nil || time.Now().Before(at) || read(t, path) != after {
		t.Errorf("%v", err)
	}
}
