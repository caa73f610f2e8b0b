//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
)

var (
	stopSignal os.Signal = syscall.SIGSTOP
	contSignal os.Signal = syscall.SIGCONT
)

// lowPriority is the nice value of a server: a process of 0 gets about nine times its
// share of a busy core. With 19 it would be nearly seventy times, and a server among the
// tests of a busy machine did nothing for ten seconds.
const lowPriority = 10

// lowerPriority lets a server that has come up give way to the console: on a small
// machine all the servers have something to do at the same time, and a key would
// wait for them. Where that is refused they run as they are.
func lowerPriority(pid int) { _ = syscall.Setpriority(syscall.PRIO_PROCESS, pid, lowPriority) }

// killAll kills a process that a guard has started, and what it started itself: a server
// may be a script around the real one.
func killAll(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// ownProcessGroup gives a command a process group of its own, all of which ends with its
// context: the terminal's ^C and ^Z are for Rung alone.
func ownProcessGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if cmd.Cancel != nil {
		cmd.Cancel = func() error { return killAll(cmd.Process) }
	}
}

// killLeftover kills what a command that ended has left behind.
func killLeftover(cmd *exec.Cmd) { _ = killAll(cmd.Process) }

// watchdog is the guard where the kernel offers none: a shell that holds a pipe
// from this process and kills the children it was last told of when the pipe
// breaks.
type watchdog struct {
	mu   sync.Mutex
	sh   *exec.Cmd
	pipe io.WriteCloser
	pids []int
}

// Each line is the whole list; read fails when the other end is gone. The signal has POSIX's
// form: dash takes the dashes of "kill -9 -- -1" for a process and kills nothing.
const watchdogScript = `while read -r line; do pids=$line; done; for p in $pids; do kill -s KILL -- "-$p" 2>/dev/null; done`

// NewWatchdog is the guard where the kernel offers none.
func NewWatchdog() (Guard, error) {
	w := &watchdog{sh: exec.Command("/bin/sh", "-c", watchdogScript)}
	w.sh.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	w.sh.Env = []string{}
	var err error
	if w.pipe, err = w.sh.StdinPipe(); err == nil {
		err = w.sh.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("starting the watchdog: %w", err)
	}
	return w, nil
}

// sendList sends the list. The caller holds mu.
func (w *watchdog) sendList() error {
	line := strings.Trim(fmt.Sprint(w.pids), "[]") + "\n"
	if _, err := io.WriteString(w.pipe, line); err != nil {
		return fmt.Errorf("telling the watchdog: %w", err)
	}
	return nil
}

func (w *watchdog) Start(cmd *exec.Cmd) (func() error, error) {
	ownProcessGroup(cmd)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	pid := cmd.Process.Pid
	w.pids = append(w.pids, pid)
	if err := w.sendList(); err != nil {
		_ = killAll(cmd.Process)
		_ = cmd.Wait()
		return nil, err
	}
	return func() error {
		err := cmd.Wait()
		killLeftover(cmd)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.pids = slices.DeleteFunc(w.pids, func(p int) bool { return p == pid })
		_ = w.sendList() // a watchdog that is gone cannot kill the wrong one
		return err
	}, nil
}

func (w *watchdog) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pids = nil
	_ = w.sendList()
	_ = w.pipe.Close()
	_ = w.sh.Wait()
}
