package kube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/streaming/pkg/httpstream"
)

// ExecTarget is the container a command runs in.
type ExecTarget struct{ Namespace, Pod, Container string }

// String is the target as Rung prints it.
func (t ExecTarget) String() string { return t.Namespace + "/" + t.Pod + "/" + t.Container }

// ExecIO are the streams of a command; nil ones are not opened. Writing to
// Stdout or Stderr never happens after Exec has returned; Read of Stdin may be
// under way, and ends when the caller closes what it reads from.
type ExecIO struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Exec runs a command in a container through pods/exec and waits for its end.
// The command is a list of arguments that no shell looks at. It goes by
// WebSocket, and by SPDY where the server (or a proxy before it) does not take
// that, as kubectl does.
//
// It returns as soon as ctx ends, with an error that wraps ctx's. Other errors
// are told apart by errors.Is and As: fs.ErrPermission (no permission),
// ErrNoPod, ErrNotRunning, ErrNoCommand, and *ExitError when the command itself
// failed.
func (c *Cluster) Exec(ctx context.Context, in ExecTarget, cmd []string, io ExecIO) error {
	err := c.exec(ctx, in, cmd, io)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	} else {
		err = c.execError(err, in)
	}
	name := "nothing"
	if len(cmd) > 0 {
		name = cmd[0]
	}
	return fmt.Errorf("run %s in %s: %w", name, in, err)
}

func (c *Cluster) exec(ctx context.Context, in ExecTarget, cmd []string, io ExecIO) error {
	executor, err := newExecutor(c.Config(), c.Builtin().execURL(in.Namespace, in.Pod, &corev1.PodExecOptions{Container: in.Container,
		Command: cmd, Stdin: io.Stdin != nil, Stdout: io.Stdout != nil, Stderr: io.Stderr != nil}))
	if err != nil {
		return err
	}
	stdout, stderr := valve{w: io.Stdout}, valve{w: io.Stderr}
	opt := remotecommand.StreamOptions{Stdin: io.Stdin}
	if io.Stdout != nil {
		opt.Stdout = &stdout
	}
	if io.Stderr != nil {
		opt.Stderr = &stderr
	}
	// SPDY's handshake knows no context: a server that stops in the middle of
	// it must hold a goroutine at most, and never the caller.
	done := make(chan error, 1)
	go func() { done <- executor.StreamWithContext(ctx, opt) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	stdout.shut()
	stderr.shut()
	return err
}

// newExecutor makes the executor of one exec: they are not for reuse.
func newExecutor(cfg *rest.Config, u *url.URL) (remotecommand.Executor, error) {
	spdy, err := remotecommand.NewSPDYExecutor(cfg, "POST", u)
	if err != nil {
		return nil, fmt.Errorf("prepare SPDY: %w", err)
	}
	ws, err := remotecommand.NewWebSocketExecutor(cfg, "GET", u.String())
	if err != nil {
		return nil, fmt.Errorf("prepare WebSocket: %w", err)
	}
	return remotecommand.NewFallbackExecutor(ws, spdy, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	})
}

// valve passes writes on until it is shut.
type valve struct {
	mu     sync.Mutex
	w      io.Writer
	closed bool
}

// errShut is what a late write gets.
var errShut = errors.New("the command is no longer waited for")

func (v *valve) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return 0, errShut
	}
	return v.w.Write(p)
}

// shut waits for a write under way and lets no other through. The writers given
// to Exec must not block once its context has ended.
func (v *valve) shut() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
}
