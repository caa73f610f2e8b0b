//go:build unix

package statedir

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"rung/sources/files"
)

// A text that became a FIFO is refused at once, and can be written anew.
func TestDraftThatIsAFIFO(t *testing.T) {
	path, err := NewDraft(t.TempDir(), "x", "text")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := ReadDraft(path); !errors.Is(err, files.ErrRefused) {
			t.Errorf("read: %v", err)
		}
		if err := WriteDraft(path, "again"); err != nil {
			t.Errorf("written: %v", err)
		}
		if text, err := ReadDraft(path); text != "again" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("it waits for the FIFO")
	}
}
