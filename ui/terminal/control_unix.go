//go:build unix

package terminal

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

var stopSignal os.Signal = syscall.SIGTSTP

// listenForStops catches stops and their ends. Go never gives a caught stop back to the
// system, so that Rung stops itself from then on. A stop that the parent ignores stays ignored.
func listenForStops(got chan<- os.Signal) {
	if !signal.Ignored(syscall.SIGTSTP) {
		signal.Notify(got, syscall.SIGTSTP)
	}
	signal.Notify(got, syscall.SIGCONT)
}

// stopGroup stops the process group, as the terminal does at ctrl+z, until the shell
// continues it. SIGSTOP leaves no signal behind that would stop Rung a second time.
func stopGroup() error {
	if !shellWaits() {
		return ErrNoShell
	}
	return os.NewSyscallError("kill", syscall.Kill(0, syscall.SIGSTOP))
}

// shellWaits reports whether a shell can continue a stopped job: the system ignores SIGTSTP in a process group
// without a shell above it. A child process tries it out.
func shellWaits() bool {
	try := exec.Command("/bin/sh", "-c", "kill -TSTP $$")
	if err := try.Start(); err != nil {
		return false
	}
	defer func() { _ = try.Process.Release() }()
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(try.Process.Pid, &status, syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil || !status.Stopped():
			return false
		default:
			_ = syscall.Kill(try.Process.Pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(try.Process.Pid, &status, 0, nil)
			return true
		}
	}
}

// inputComes waits for input, at most wait, and reports whether any arrived. It returns true if that is
// unknown.
func inputComes(f *os.File, wait time.Duration) bool {
	fd := int(f.Fd())
	if fd >= unix.FD_SETSIZE {
		return true
	}
	for until := time.Now().Add(wait); ; {
		var in unix.FdSet
		in.Set(fd)
		left := unix.NsecToTimeval(max(0, time.Until(until)).Nanoseconds())
		n, err := unix.Select(fd+1, &in, nil, nil, &left)
		if !errors.Is(err, unix.EINTR) {
			return err != nil || n > 0
		}
	}
}

// discardOutput drops written terminal output that was not read.
func discardOutput(f *os.File) { _ = flushOutput(int(f.Fd())) }
