//go:build unix

package plugin

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

var (
	moreEnds = []os.Signal{syscall.SIGHUP, syscall.SIGQUIT}
	broken   = []os.Signal{syscall.SIGPIPE}
)

// parentEvery is how often a child looks whether its parent is still there.
const parentEvery = 100 * time.Millisecond

// waitForParent returns when the parent has ended.
func waitForParent(parent int) {
	for os.Getppid() == parent {
		time.Sleep(parentEvery)
	}
}

// setOwnSession gives a plugin a session of its own: what it starts ends with it, and it cannot
// read the keys that are meant for Rung, from /dev/tty either.
func setOwnSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// endProcess tells a plugin and what it has started to end, or kills it.
func endProcess(p *os.Process, kill bool) {
	sig := syscall.SIGTERM
	if kill {
		sig = syscall.SIGKILL
	}
	_ = syscall.Kill(-p.Pid, sig) // who is gone need not be told
}
