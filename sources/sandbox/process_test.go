//go:build unix

package sandbox

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"rung/test/servers"
	"rung/test/wait"
)

// told is what was reported, in order.
type told struct {
	mu     sync.Mutex
	states []State
}

func (l *told) add(s State, _ error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.states = append(l.states, s)
}

func (l *told) are(want ...State) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Equal(l.states, want)
}

func slow(t *testing.T) (*Process, *told) {
	t.Helper()
	dir, err := os.MkdirTemp("", "c") // short: a socket has to fit
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	g, err := NewGuard()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	var l told
	socket := filepath.Join(dir, "s")
	p := NewProcess(ChildConfig{Zone: "z", Name: "slow", Socket: socket, Guard: g, Report: l.add, Command: func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), lateEnv+"="+socket)
		return cmd
	}})
	t.Cleanup(p.Close)
	return p, &l
}

// A process that comes up later than it is waited for is told to run when it does.
func TestLateStart(t *testing.T) {
	p, l := slow(t)
	ctx, cancel := context.WithTimeout(t.Context(), late/10)
	defer cancel()
	if err := p.Start(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("it was there at once: %v", err)
	}
	if !l.are() {
		t.Errorf("told early: %v", l.states)
	}
	wait.Within(t, wait.Patience, "it is told to run", func() bool { return l.are(Running) })
}

// What becomes of a process is told in order: silent, answering, dead, and the next one
// running. Of one that is over nothing is told.
func TestStates(t *testing.T) {
	p, l := slow(t)
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	pid := p.Pid()
	p.NoteAnswer(pid, true) // as it was
	p.NoteAnswer(pid, false)
	p.NoteAnswer(pid, false)
	p.NoteAnswer(pid, true)
	if err := servers.KillProcess(pid); err != nil {
		t.Fatal(err)
	}
	wait.Within(t, wait.Patience, "the next one runs", func() bool {
		return l.are(Running, Silent, Running, Died, Running)
	})
	p.NoteAnswer(pid, false)
	if p.Pid() == pid || !l.are(Running, Silent, Running, Died, Running) {
		t.Errorf("told %v", l.states)
	}
}

// TestDiesAtOnce: a program that ends before it listens is started again and again; who waits for its
// socket looks at the one it was started for (for the race detector).
func TestDiesAtOnce(t *testing.T) {
	g, err := NewGuard()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	var mu sync.Mutex
	deaths := 0
	p := NewProcess(ChildConfig{Zone: "z", Name: "brief", Socket: filepath.Join(t.TempDir(), "s"), Guard: g, Command: func() *exec.Cmd { return exec.Command("false") },
		Report: func(s State, _ error) {
			mu.Lock()
			defer mu.Unlock()
			if s == Died {
				deaths++
			}
		}})
	t.Cleanup(p.Close)
	ctx, cancel := context.WithTimeout(t.Context(), late)
	defer cancel()
	if err := p.Start(ctx); err == nil {
		t.Fatal("it came up")
	}
	wait.Within(t, wait.Patience, "it died again", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return deaths >= 3
	})
}
