package kube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	utilexec "k8s.io/client-go/util/exec"
	"k8s.io/streaming/pkg/httpstream"

	"rung/model/words"
)

// ExecTarget is the container that runs a command.
type ExecTarget struct{ Namespace, Pod, Container string }

// String returns namespace/pod/container.
func (t ExecTarget) String() string { return t.Namespace + "/" + t.Pod + "/" + t.Container }

// ExecIO are the streams of a command; nil ones are not opened. After Exec has returned, Stdout and Stderr get
// no more writes. A Read of Stdin may still be under way; it ends when the caller closes the source.
type ExecIO struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Exec runs a command in a container through pods/exec and waits for its end. No shell reads the arguments. It
// uses WebSocket, and SPDY if the server or a proxy does not support that, as kubectl does.
//
// It returns as soon as ctx ends, with an error that wraps ctx's. errors.Is and As find the others:
// fs.ErrPermission, ErrNoPod, ErrNotRunning, ErrNoCommand, and *ExitError if the command itself failed.
func (c *Cluster) Exec(ctx context.Context, in ExecTarget, cmd []string, io ExecIO) error {
	err := c.execOnce(ctx, in, cmd, io)
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

func (c *Cluster) execOnce(ctx context.Context, in ExecTarget, cmd []string, io ExecIO) error {
	executor, err := newExecutor(c.Config(), c.Builtin().execURL(in.Namespace, in.Pod, &corev1.PodExecOptions{Container: in.Container,
		Command: cmd, Stdin: io.Stdin != nil, Stdout: io.Stdout != nil, Stderr: io.Stderr != nil}))
	if err != nil {
		return err
	}
	stdout, stderr := closableWriter{w: io.Stdout}, closableWriter{w: io.Stderr}
	opt := remotecommand.StreamOptions{Stdin: io.Stdin}
	if io.Stdout != nil {
		opt.Stdout = &stdout
	}
	if io.Stderr != nil {
		opt.Stderr = &stderr
	}
	// SPDY's handshake ignores the context: a stalling server may block a goroutine, but not the caller.
	done := make(chan error, 1)
	go func() { done <- executor.StreamWithContext(ctx, opt) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	stdout.closeWriter()
	stderr.closeWriter()
	return err
}

// newExecutor makes the executor of one exec; executors are not reusable.
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

// closableWriter passes writes on until it is shut.
type closableWriter struct {
	mu     sync.Mutex
	w      io.Writer
	closed bool
}

// errWriterClosed is the error of a late write.
var errWriterClosed = errors.New("the command is no longer waited for")

func (v *closableWriter) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return 0, errWriterClosed
	}
	return v.w.Write(p)
}

// closeWriter waits for a write under way and fails later ones. Writers must not block after Exec's context has ended.
func (v *closableWriter) closeWriter() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
}

// Errors of running commands in pods. A missing permission is fs.ErrPermission.
var (
	// ErrNoPod means the pod does not exist.
	ErrNoPod = errors.New("no such pod")
	// ErrNotRunning means the container does not exist or does not run.
	ErrNotRunning = errors.New("the container is not running")
	// ErrNoCommand means the image lacks the program; an *ExitError comes with it.
	ErrNoCommand = errors.New("no such program in the image")
)

// ExitError is a command that ran and failed.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// ExitStatus returns the exit code, under the name of k8s.io/utils/exec.
func (e *ExitError) ExitStatus() int { return e.Code }

// The exit codes of runc, crun and shells for programs that they cannot start or find.
const (
	cannotExecute   = 126
	commandNotFound = 127
)

// execError explains a failed exec. Kubelets and runtimes tell most reasons only by text.
func (c *Cluster) execError(err error, in ExecTarget) error {
	if exit, ok := errors.AsType[utilexec.CodeExitError](err); ok {
		if exit.Code == commandNotFound || exit.Code == cannotExecute {
			return fmt.Errorf("%w: %w", ErrNoCommand, &ExitError{exit.Code})
		}
		return &ExitError{exit.Code}
	}
	text := words.CleanText(err.Error())
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
	}
	switch {
	case statusIs(err, apierrors.IsForbidden) || has(" is forbidden: "):
		return fmt.Errorf("%w: %s; needed: %s", fs.ErrPermission, text, c.Kubectl("auth", "can-i", "create", "pods/exec", "-n", in.Namespace))
	case statusIs(err, apierrors.IsUnauthorized):
		return fmt.Errorf("%w: the API server rejected the login (expired token?): %s", fs.ErrPermission, text)
	case has("executable file not found", "exec format error", "no such file or directory"):
		return fmt.Errorf("%w: %w: %s", ErrNoCommand, &ExitError{commandNotFound}, text)
	case has("container not found", "is not valid for pod", "container is not running", "not created or running",
		"cannot exec into a container in a completed pod", "in a stopped container", "does not have a host assigned"):
		return fmt.Errorf("%w: %s", ErrNotRunning, text)
	case statusIs(err, apierrors.IsNotFound) || has("pods \""+in.Pod+"\" not found", "pod does not exist"):
		return fmt.Errorf("%w: %s", ErrNoPod, text)
	}
	return cleanError{err}
}

// statusIs checks err, and the cause of a failed upgrade, which has the server's answer but does not wrap it.
func statusIs(err error, is func(error) bool) bool {
	upgrade, ok := errors.AsType[*httpstream.UpgradeFailureError](err)
	return is(err) || ok && is(upgrade.Cause)
}

// cleanError wraps a server's error with a text that is safe to print.
type cleanError struct{ error }

func (e cleanError) Error() string { return words.CleanText(e.error.Error()) }
func (e cleanError) Unwrap() error { return e.error }
