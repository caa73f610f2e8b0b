//go:build unix

package terminal

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
)

// A lone Esc is one after a short wait; the beginning of another key is left to whoever
// reads the rest of it.
func TestLoneEsc(t *testing.T) {
	for _, c := range []struct {
		name        string
		now, behind string // what is there, and what comes while an Esc is waited behind
		size        int
		want        []string
		waited      int
	}{
		{name: "a key", now: "k", want: []string{"k"}},
		{name: "Esc", now: "\x1b", want: []string{"\x1b[27u"}, waited: 1},
		{name: "an arrow at once", now: "\x1b[A", want: []string{"\x1b[A"}},
		{name: "an arrow in two pieces", now: "\x1b", behind: "[A", want: []string{"\x1b", "[A"}, waited: 1},
		{name: "alt and a key", now: "\x1bx", want: []string{"\x1bx"}},
		{name: "Esc twice", now: "\x1b\x1b", want: []string{"\x1b\x1b"}},
		{name: "no room to say so", now: "\x1b", size: 1, want: []string{"\x1b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			defer w.Close()
			waited := 0
			k := &Input{File: r, waitForMore: func(_ *os.File, wait time.Duration) bool {
				waited++
				if wait > 20*time.Millisecond {
					t.Errorf("an Esc is waited behind for %s: it is answered later than any other key", wait)
				}
				_, _ = w.WriteString(c.behind)
				return c.behind != ""
			}}
			if _, err := w.WriteString(c.now); err != nil {
				t.Fatal(err)
			}
			var got []string
			for range c.want {
				b := make([]byte, max(c.size, 1))
				if c.size == 0 {
					b = make([]byte, 4096)
				}
				n, err := k.Read(b)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(b[:n]))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if waited != c.waited {
				t.Errorf("waited %d times, want %d", waited, c.waited)
			}
		})
	}
}

// What comes is seen at once, and that nothing does after the time.
func TestComes(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if inputComes(r, time.Millisecond) {
		t.Error("something comes through a pipe into which nothing was written")
	}
	if _, err := w.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	if !inputComes(r, time.Minute) {
		t.Error("what was written does not come")
	}
	if _, err := r.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	if !inputComes(r, time.Minute) {
		t.Error("the end is to be read as well")
	}
}

// A program in front of the terminal gets the terminal itself: with a copy between, a
// goroutine would take the keys typed after its end.
func TestProgramGetsTheTerminal(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer tty.Close()
	c := &Control{ctx: t.Context(), OnAway: func(bool) {}}
	p := c.Program(exec.Command("sh", "-c", `[ -t 0 ] && [ -t 1 ]`))
	p.SetStdin(&Input{File: tty, waitForMore: inputComes})
	p.SetStdout(NewOutput(t.Context(), tty))
	p.SetStderr(os.Stderr)
	if err := p.Run(); err != nil {
		t.Errorf("the program does not have the terminal: %v", err)
	}
}
