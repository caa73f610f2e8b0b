//go:build unix

package terminal

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// A write to a terminal that nobody reads ends with the console, and the terminal, once it
// is read, ends with what leaves the screen.
func TestUnreadTerminal(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer tty.Close()
	ctx, cancel := context.WithCancel(t.Context())
	o := NewOutput(ctx, tty)
	full := make(chan struct{})
	go func() {
		defer close(full)
		for range 3 { // the first never ends by itself, the others would not
			if n, err := o.Write(bytes.Repeat([]byte("x"), 1<<20)); n != 1<<20 || err != nil {
				t.Errorf("%d %v", n, err)
			}
		}
	}()
	cancel()
	<-full
	o.Leave()
	_ = tty.Close()
	var got bytes.Buffer
	for b := make([]byte, 4096); ; {
		n, err := master.Read(b)
		got.Write(b[:n])
		if err != nil { // nobody has the terminal any more
			break
		}
	}
	if n := got.Len(); n > 1<<19 || !strings.HasSuffix(got.String(), cut+leave) {
		t.Errorf("%d bytes, which end in %q", n, got.Bytes()[max(0, n-200):])
	}
}

// A terminal that is read gets everything, and nothing more at the end.
func TestReadTerminal(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := NewOutput(ctx, w)
	go func() {
		defer w.Close()
		if _, err := o.Write(bytes.Repeat([]byte("x"), 1<<20)); err != nil {
			t.Error(err)
		}
		o.Leave()
	}()
	var got bytes.Buffer
	if n, err := got.ReadFrom(r); err != nil || n != 1<<20 {
		t.Errorf("%d bytes %v", n, err)
	}
}
