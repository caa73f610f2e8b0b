//go:build unix

package command_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rung/cli/command"
	"rung/model"
	"rung/test/wait"
)

// An input is read beside a console to its end, and nothing of it goes on: not of one that was read,
// of one that fails, nor of one that never comes and is given up.
func TestReadBeside(t *testing.T) {
	defer wait.NoLeaks(t, goleak.IgnoreCurrent())
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	if err := os.WriteFile(filepath.Join(dir, "ns.yaml"), []byte("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var said strings.Builder
	a := command.NewApp(ctx, strings.NewReader(""), io.Discard, &said)
	r, err := command.ReadInputFully(ctx, a, filepath.Join(dir, "ns.yaml"))
	if err != nil || r.Cluster.Count(model.KindNamespace) != 1 {
		t.Fatalf("%v, %v", r, err)
	}
	for input, want := range map[string]string{"-": "standard input is the keyboard here", "": "the name of an input is empty", filepath.Join(dir, "none"): "no such file", "git:no-such-revision": "no-such-revision"} {
		if _, err := command.ReadInputFully(ctx, a, input); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "check -f") {
			t.Errorf("%q: %v, want %q", input, err, want)
		}
	}
	soon, end := context.WithCancel(ctx)
	defer time.AfterFunc(200*time.Millisecond, end).Stop()
	if _, err := command.ReadInputFully(soon, a, pipe); !errors.Is(err, context.Canceled) {
		t.Errorf("a pipe nobody writes to: %v", err)
	}
	// Nothing ends a goroutine that opens a pipe but somebody who writes to it.
	if w, err := os.OpenFile(pipe, os.O_RDWR, 0); err == nil {
		defer w.Close()
	}
	if said.Len() > 0 {
		t.Errorf("was said: %s", said.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "state")); err == nil {
		t.Error("the state folder was made")
	}
}
