package plugin

import (
	"os"
	"os/exec"
	"strconv"
)

var moreEnds, broken []os.Signal

// waitForParent returns when the parent has ended.
func waitForParent(parent int) {
	if p, err := os.FindProcess(parent); err == nil {
		_, _ = p.Wait()
	}
}

// startPlugin starts a plugin and returns what waits for its end.
func startPlugin(cmd *exec.Cmd) (wait func() error, err error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return cmd.Wait, nil
}

// endProcess kills a plugin and what it has started: nobody can be told here.
func endProcess(p *os.Process, _ bool) {
	if exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run() != nil {
		_ = p.Kill()
	}
}
