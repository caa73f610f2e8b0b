//go:build unix

package job

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

var (
	stopSignal os.Signal = syscall.SIGTSTP
	hangUp     os.Signal = syscall.SIGHUP
	endSignal  os.Signal = syscall.SIGTERM
)

// listenForStops catches the stop, unless whoever started Rung does not want stops. Once
// it was caught Go never gives it back to the system, so that Rung has to stop
// itself from then on.
func (c *TerminalControl) listenForStops() {
	if !signal.Ignored(syscall.SIGTSTP) {
		signal.Notify(c.got, syscall.SIGTSTP)
	}
	signal.Notify(c.got, syscall.SIGCONT)
}

// resumed is how long after it was stopped the process surely knows that it goes
// on.
const resumed = time.Second

// haltGroup stops the process group, as the terminal does at ctrl+z, and returns when
// it goes on.
func (c *TerminalControl) haltGroup() error {
	if !shellWaits() {
		return ErrNoShell
	}
	cont := make(chan os.Signal, 1)
	signal.Notify(cont, syscall.SIGCONT)
	defer signal.Stop(cont)
	c.noteHalt()
	defer c.noteHalt()
	// The others of the job may have something to do first; Rung has done it.
	_ = syscall.Kill(0, syscall.SIGTSTP)
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGSTOP); err != nil {
		return os.NewSyscallError("kill", err)
	}
	t := time.NewTimer(resumed)
	defer t.Stop()
	select {
	case <-cont:
	case <-c.ctx.Done():
	case <-t.C:
	}
	return nil
}

// shellWaits says whether somebody brings a stopped job back: in a group without
// a shell above it the system lets nobody be stopped by the terminal's signal. A
// process that tries is the way to know.
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

// runProgram puts the program into a process group of its own in front of the terminal;
// where there is none it shares Rung's.
func (p *FrontProgram) runProgram() error {
	tty, ok := p.cmd.Stdin.(*os.File)
	if !ok || !areFiles(p.cmd.Stdout, p.cmd.Stderr) || !term.IsTerminal(tty.Fd()) {
		return p.runInGroup()
	}
	fd := int(tty.Fd())
	if front, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err != nil || front != syscall.Getpgrp() {
		return p.runInGroup()
	}
	before, err := term.GetState(tty.Fd())
	if err != nil {
		return p.runInGroup()
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Foreground: true, Ctty: fd}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	pid := p.cmd.Process.Pid
	ended, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		p.endProgram(ended, func(s os.Signal) {
			if sig, ok := s.(syscall.Signal); ok {
				_ = syscall.Kill(-pid, sig)
				_ = syscall.Kill(-pid, syscall.SIGCONT) // a stopped one would not hear it
			}
		})
	}()
	status := p.waitForEnd(fd, pid)
	if p.c.ctx.Err() != nil {
		waitForGroup(pid, told) // a script ends sooner than the editor it started
	}
	close(ended)
	<-told
	_ = p.cmd.Process.Release()
	takeFront(fd)
	_ = term.Restore(tty.Fd(), before)
	if status.Signaled() {
		_, _ = io.WriteString(p.cmd.Stdout, leave)
	}
	return failureOf(status)
}

// inputComes waits until there is something to read. Where that cannot be told, something may
// come.
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

// discardOutput drops what was written to a terminal and nobody has read.
func discardOutput(f *os.File) { _ = flushOutput(int(f.Fd())) }

// areFiles says whether a program can have the streams as they are, without
// anything between.
func areFiles(streams ...io.Writer) bool {
	for _, s := range streams {
		if _, ok := s.(*os.File); !ok {
			return false
		}
	}
	return true
}

// waitForEnd waits for the end of the program. When it is stopped, Rung is: the shell
// that started it goes on, and later both do.
func (p *FrontProgram) waitForEnd(fd, pid int) syscall.WaitStatus {
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil || !status.Stopped():
			return status
		}
		if p.c.ctx.Err() != nil {
			continue // it was told to end, and to go on for that
		}
		// One that was stopped by the terminal only lacks it: Rung was stopped
		// alone, and the shell has put Rung in front since.
		if sig := status.StopSignal(); sig != syscall.SIGTTIN && sig != syscall.SIGTTOU {
			takeFront(fd)
			_ = p.c.haltGroup()
		}
		// In the background this stops the process once more, until the shell puts
		// it in front: the terminal is not taken from anybody.
		_ = unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, pid)
		_ = syscall.Kill(-pid, syscall.SIGCONT)
	}
}

// takeFront puts Rung's process group in front of the terminal, also from behind.
// A group behind it may only do that with SIGTTOU blocked, as it is in a new process
// before its program runs.
func takeFront(fd int) {
	cmd := exec.Command("/bin/sh", "-c", ":")
	cmd.SysProcAttr = &syscall.SysProcAttr{Foreground: true, Ctty: fd, Setpgid: true, Pgid: syscall.Getpgrp()}
	_ = cmd.Run() // without a terminal there is no front
}

// waitForGroup waits until nothing of a process group is left, or it was killed: what
// nobody has waited for yet still counts.
func waitForGroup(group int, killed <-chan struct{}) {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for !errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) {
		select {
		case <-killed:
			return
		case <-look.C:
		}
	}
}

// failureOf is the error of a status, in the words of package exec.
func failureOf(status syscall.WaitStatus) error {
	switch {
	case status.Signaled():
		return &endedBadly{"signal: " + status.Signal().String()}
	case status.ExitStatus() != 0:
		return &endedBadly{"exit status " + strconv.Itoa(status.ExitStatus())}
	}
	return nil
}

// endedBadly is a program that did not end well.
type endedBadly struct{ how string }

func (e *endedBadly) Error() string { return e.how }
