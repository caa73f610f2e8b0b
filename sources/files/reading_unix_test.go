//go:build unix

package files

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func fifo(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// A FIFO is read to its end once somebody writes.
func TestFIFO(t *testing.T) {
	name := fifo(t)
	go func() {
		time.Sleep(20 * time.Millisecond)
		_ = os.WriteFile(name, []byte("from the pipe"), 0)
	}()
	within(t, "a FIFO with a writer", func() {
		if got, err := ReadFile(t.Context(), name, 100); string(got) != "from the pipe" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// One that nobody writes to, and one whose writer says nothing, end with the
// context.
func TestFIFOEnds(t *testing.T) {
	for _, silent := range []bool{false, true} {
		name := fifo(t)
		var writer *os.File
		if silent {
			var err error
			if writer, err = os.OpenFile(name, os.O_RDWR, 0); err != nil { // does not wait
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		within(t, "a FIFO", func() {
			if _, err := ReadFile(ctx, name, 100); !errors.Is(err, context.Canceled) {
				t.Errorf("writer %v: %v", silent, err)
			}
		})
		if silent {
			_ = writer.Close()
			continue
		}
		// Lets the goroutine go that waits in open.
		w, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_ = w.Close()
	}
}

// Devices are bounded by the limit.
func TestDevice(t *testing.T) {
	within(t, "/dev/zero", func() {
		if _, err := ReadFile(t.Context(), "/dev/zero", 1<<20); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%v", err)
		}
	})
}

// Where a regular file is wanted everything else is refused by its name, at once.
func TestRegular(t *testing.T) {
	dir := t.TempDir()
	pipe := fifo(t)
	sock := filepath.Join(dir, "s")
	l, err := net.Listen("unix", sock)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, want string }{
		{pipe, "is a named pipe (FIFO)"}, {link, "is a named pipe (FIFO)"}, {dir, "is a folder"}, {"/dev/null", "is a device"},
	} {
		within(t, c.name, func() {
			if _, err := ReadRegular(c.name, 100); !errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
		})
	}
	// A socket cannot even be opened.
	if _, err := ReadRegular(sock, 100); err == nil {
		t.Error("a socket was read")
	}
}
