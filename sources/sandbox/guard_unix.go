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

// lowPriority is the nice value of a server. A process of nice 0 gets about nine times its share of a busy
// core. With 19 it would be nearly seventy times: beside tests on a busy machine, servers did nothing for ten
// seconds.
const lowPriority = 10

// lowerPriority gives the console precedence over a started server. On a small machine many servers work at
// once, and keys would wait for them. If the system refuses, the priority stays.
func lowerPriority(pid int) { _ = syscall.Setpriority(syscall.PRIO_PROCESS, pid, lowPriority) }

// killAll kills a guarded process and its children: a server may be a script around the real one.
func killAll(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// ownProcessGroup gives a command its own process group, which ends with its context. So the terminal's ^C and
// ^Z reach only Rung.
func ownProcessGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if cmd.Cancel != nil {
		cmd.Cancel = func() error { return killAll(cmd.Process) }
	}
}

// killLeftover kills the leftover children of an ended command.
func killLeftover(cmd *exec.Cmd) { _ = killAll(cmd.Process) }

// watchdog is the guard for kernels without one. It is a shell that holds a pipe from this process. When the
// pipe breaks, it kills the children it was last told of.
type watchdog struct {
	mu   sync.Mutex
	sh   *exec.Cmd
	pipe io.WriteCloser
	pids []int
}

// Each line is the whole list; read fails when this process is gone. The signal has POSIX's form: dash
// misreads "kill -9 -- -1" and kills nothing.
const watchdogScript = `while read -r line; do pids=$line; done; for p in $pids; do kill -s KILL -- "-$p" 2>/dev/null; done`

// NewWatchdog starts the guard for kernels that offer none.
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

// sendList sends the list of children. The caller holds mu.
func (w *watchdog) sendList() error {
	line := strings.Trim(fmt.Sprint(w.pids), "[]") + "\n"
	if _, err := io.WriteString(w.pipe, line); err != nil {
		return fmt.Errorf("writing to the watchdog: %w", err)
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
		_ = w.sendList() // a dead watchdog cannot kill the wrong process
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
