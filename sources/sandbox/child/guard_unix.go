//go:build unix

package child

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Supported says whether the servers and daemons of OVS can be run here at all.
const Supported = true

var (
	stopSignal os.Signal = syscall.SIGSTOP
	contSignal os.Signal = syscall.SIGCONT
)

// giveWay lets a server that has come up give way to the console: on a small
// machine all the servers have something to do at the same time, and a key would
// wait for them. Where that is refused they run as they are.
func giveWay(pid int) { _ = syscall.Setpriority(syscall.PRIO_PROCESS, pid, 19) }

// watchdog is the guard where the kernel offers none: a shell that holds a pipe
// from this process and kills the children it was last told of when the pipe
// breaks.
type watchdog struct {
	mu   sync.Mutex
	sh   *exec.Cmd
	pipe io.WriteCloser
	pids []int
}

// Each line is the whole list; read fails when the other end is gone.
const watchdogScript = `while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -9 $pids 2>/dev/null`

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

// tell sends the list. The caller holds mu.
func (w *watchdog) tell() error {
	line := strings.Trim(fmt.Sprint(w.pids), "[]") + "\n"
	if _, err := io.WriteString(w.pipe, line); err != nil {
		return fmt.Errorf("telling the watchdog: %w", err)
	}
	return nil
}

func (w *watchdog) Start(cmd *exec.Cmd) (func() error, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	pid := cmd.Process.Pid
	w.pids = append(w.pids, pid)
	if err := w.tell(); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, err
	}
	return func() error {
		err := cmd.Wait()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.pids = slices.DeleteFunc(w.pids, func(p int) bool { return p == pid })
		_ = w.tell() // a watchdog that is gone cannot kill the wrong one
		return err
	}, nil
}

func (w *watchdog) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pids = nil
	_ = w.tell()
	_ = w.pipe.Close()
	_ = w.sh.Wait()
}
