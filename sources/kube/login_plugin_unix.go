//go:build unix

package kube

import (
	"os"
	"os/exec"
	"syscall"
)

var pluginEnds = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// ownSession keeps the plugin off the terminal, whose keys are Rung's. All its child processes end with it.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
