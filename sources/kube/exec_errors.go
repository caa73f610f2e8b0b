package kube

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilexec "k8s.io/client-go/util/exec"
	"k8s.io/streaming/pkg/httpstream"

	"rung/model/clean"
)

// Errors of running commands in pods. No permission is fs.ErrPermission.
var (
	// ErrNoPod says that there is no such pod.
	ErrNoPod = errors.New("no such pod")
	// ErrNotRunning says that the container is not there or does not run.
	ErrNotRunning = errors.New("the container is not running")
	// ErrNoCommand says that the image does not have the program; an *ExitError
	// goes with it.
	ErrNoCommand = errors.New("no such program in the image")
)

// ExitError is a command that ran and failed.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// ExitStatus is the exit code, as k8s.io/utils/exec calls it.
func (e *ExitError) ExitStatus() int { return e.Code }

// commandNotFound and cannotExecute are what runc, crun and shells exit with when
// they do not find or cannot start the program.
const (
	cannotExecute   = 126
	commandNotFound = 127
)

// execError says what a failed exec means. Kubelets and runtimes tell most of it
// by text alone.
func (c *Cluster) execError(err error, in ExecTarget) error {
	var exit utilexec.CodeExitError
	if errors.As(err, &exit) {
		if exit.Code == commandNotFound || exit.Code == cannotExecute {
			return fmt.Errorf("%w: %w", ErrNoCommand, &ExitError{exit.Code})
		}
		return &ExitError{exit.Code}
	}
	text := clean.Text(err.Error())
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(text, p) {
				return true
			}
		}
		return false
	}
	switch {
	case statusIs(err, apierrors.IsForbidden) || has(" is forbidden: "):
		return fmt.Errorf("%w: %s; needed: %s", fs.ErrPermission, text, c.Kubectl("auth", "can-i", "create", "pods/exec", "-n", in.Namespace))
	case statusIs(err, apierrors.IsUnauthorized):
		return fmt.Errorf("%w: the API server does not accept the login (expired token?): %s", fs.ErrPermission, text)
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

// statusIs applies a check of API errors to err and to the cause of a failed
// upgrade, which carries the server's answer but does not wrap it.
func statusIs(err error, is func(error) bool) bool {
	var upgrade *httpstream.UpgradeFailureError
	return is(err) || errors.As(err, &upgrade) && is(upgrade.Cause)
}

// cleanError is an error of the server with a text that is safe to print.
type cleanError struct{ error }

func (e cleanError) Error() string { return clean.Text(e.error.Error()) }
func (e cleanError) Unwrap() error { return e.error }
