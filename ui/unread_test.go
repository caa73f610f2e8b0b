//go:build unix

package ui_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"rung/test/uitest"
	"rung/test/wait"
	"rung/ui"
)

// A console whose terminal takes nothing more ends when it is told to.
func TestEndsUnread(t *testing.T) {
	master, tty := terminal(t)
	defer master.Close()
	defer tty.Close()
	full, err := os.OpenFile(tty.Name(), os.O_WRONLY|syscall.O_NOCTTY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	raw, err := full.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var took error
	err = raw.Write(func(fd uintptr) bool {
		for took == nil {
			_, took = syscall.Write(int(fd), []byte(strings.Repeat("x", 100)))
		}
		return true
	})
	if err != nil || !errors.Is(took, syscall.EAGAIN) {
		t.Fatal(err, took)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ended := console(ctx, t, tty)
	wait.Within(t, wait.Patience, "the console to end", func() bool { return len(ended) > 0 })
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// After a paste that never ends keys are keys again.
func TestPasteNeverEnds(t *testing.T) {
	master, tty := terminal(t)
	defer master.Close()
	defer tty.Close()
	var out shown
	go func() { _, _ = io.Copy(&out, master) }()
	ended := console(t.Context(), t, tty)
	wait.Within(t, wait.Patience, "the ladder", func() bool { return out.has("PRIO") })
	if _, err := master.WriteString("\x1b[200~blue\x1b[31m"); err != nil {
		t.Fatal(err)
	}
	wait.Within(t, wait.Patience, "the paste to be over", func() bool { return out.has("no input line to paste into") })
	if _, err := master.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	wait.Within(t, wait.Patience, "ctrl+c to end the console", func() bool { return len(ended) > 0 })
	if err := <-ended; err != nil { // and the terminal is nobody's
		t.Error(err)
	}
}

// shown is what was written to a terminal.
type shown struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *shown) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *shown) has(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.b.String(), text)
}

func terminal(t *testing.T) (master, tty *os.File) {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(tty, &pty.Winsize{Cols: 100, Rows: 30}); err != nil {
		t.Fatal(err)
	}
	return master, tty
}

// console runs the console in a terminal until the end of the test.
func console(ctx context.Context, t *testing.T, tty *os.File) <-chan error {
	t.Helper()
	ended := make(chan error, 1)
	f := uitest.NewFake(uitest.DemoFacts(t))
	opt := ui.Options{Stdin: tty, Stdout: tty, StateDir: t.TempDir(), Environ: []string{"TERM=xterm-256color"}}
	go func() { ended <- ui.Run(ctx, f, opt) }()
	return ended
}
