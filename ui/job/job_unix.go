//go:build unix

package job

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

var (
	stopSignal os.Signal = syscall.SIGTSTP
	hangUp     os.Signal = syscall.SIGHUP
	endSignal  os.Signal = syscall.SIGTERM
)

// listen catches the stop, unless whoever started Rung does not want stops.
func (c *Control) listen() {
	if !signal.Ignored(syscall.SIGTSTP) {
		signal.Notify(c.got, syscall.SIGTSTP)
	}
	signal.Notify(c.got, syscall.SIGCONT)
}

func (c *Control) deafen() {
	if !signal.Ignored(syscall.SIGTSTP) {
		signal.Reset(syscall.SIGTSTP)
	}
}

// noStop is how long after the signal the process is surely stopped, if it is at
// all: where no shell waits the system ignores the signal.
const noStop = 200 * time.Millisecond

// halt stops the process group, as the terminal does at ctrl+z, and returns when
// it goes on.
func (c *Control) halt() error {
	cont := make(chan os.Signal, 1)
	signal.Notify(cont, syscall.SIGCONT)
	defer signal.Stop(cont)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return os.NewSyscallError("kill", err)
	}
	for range 2 { // the timer may be the first to notice that time went on
		t := time.NewTimer(noStop / 2)
		select {
		case <-cont:
			t.Stop()
			return nil
		case <-c.ctx.Done():
			t.Stop()
			return nil
		case <-t.C:
		}
	}
	return ErrNoShell
}

// run puts the program into a process group of its own in front of the terminal;
// where there is none it shares Rung's.
func (p *Program) run() error {
	tty, ok := p.cmd.Stdin.(*os.File)
	if !ok || !files(p.cmd.Stdout, p.cmd.Stderr) || !term.IsTerminal(tty.Fd()) {
		return p.plainly()
	}
	fd := int(tty.Fd())
	if front, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err != nil || front != syscall.Getpgrp() {
		return p.plainly()
	}
	before, err := term.GetState(tty.Fd())
	if err != nil {
		return p.plainly()
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Foreground: true, Ctty: fd}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	pid := p.cmd.Process.Pid
	ended, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		p.end(ended, func(s os.Signal) {
			if sig, ok := s.(syscall.Signal); ok {
				_ = syscall.Kill(-pid, sig)
				_ = syscall.Kill(-pid, syscall.SIGCONT) // a stopped one would not hear it
			}
		})
	}()
	status := p.wait(fd, pid)
	if p.c.ctx.Err() != nil {
		outlive(pid) // a script ends sooner than the editor it started
	}
	close(ended)
	<-told
	_ = p.cmd.Process.Release()
	_ = takeFront(fd, syscall.Getpgrp())
	_ = term.Restore(tty.Fd(), before)
	if status.Signaled() {
		_, _ = io.WriteString(p.cmd.Stdout, leave)
	}
	return failure(status)
}

// files says whether a program can have the streams as they are, without
// anything between.
func files(streams ...io.Writer) bool {
	for _, s := range streams {
		if _, ok := s.(*os.File); !ok {
			return false
		}
	}
	return true
}

// wait waits for the end of the program. When it is stopped, Rung is: the shell
// that started it goes on, and later both do.
func (p *Program) wait(fd, pid int) syscall.WaitStatus {
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
		_ = takeFront(fd, syscall.Getpgrp())
		_ = p.c.halt()
		// In the background this stops the process once more, until the shell puts
		// it in front: the terminal is not taken from anybody.
		_ = unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, pid)
		_ = syscall.Kill(-pid, syscall.SIGCONT)
	}
}

// takeFront puts a process group in front of the terminal, also from behind.
func takeFront(fd, group int) error {
	if !signal.Ignored(syscall.SIGTTOU) {
		signal.Ignore(syscall.SIGTTOU)
		defer signal.Reset(syscall.SIGTTOU)
	}
	return unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, group)
}

// outlive waits until nothing of a process group is left, or nothing but what
// does not end.
func outlive(group int) {
	for end := time.Now().Add(killAfter + 200*time.Millisecond); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) {
			return
		}
	}
}

// failure is the error of a status, in the words of package exec.
func failure(status syscall.WaitStatus) error {
	switch {
	case status.Signaled():
		return &ended{"signal: " + status.Signal().String()}
	case status.ExitStatus() != 0:
		return &ended{"exit status " + strconv.Itoa(status.ExitStatus())}
	}
	return nil
}

// ended is a program that did not end well.
type ended struct{ how string }

func (e *ended) Error() string { return e.how }

// leave undoes what a program that was killed may have set on the terminal.
const leave = ansi.ResetModeAltScreenSaveCursor + ansi.ResetModeBracketedPaste + ansi.ResetModeMouseNormal +
	ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr + ansi.SetModeTextCursorEnable +
	ansi.ResetStyle
