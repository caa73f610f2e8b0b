package plugin

import (
	"os/exec"
	"runtime"
	"syscall"
)

// startPlugin starts a plugin, which ends with this process even if that is killed, and
// returns what waits for its end.
func startPlugin(cmd *exec.Cmd) (wait func() error, err error) {
	setOwnSession(cmd)
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	started, ended := make(chan error), make(chan error, 1)
	go func() {
		// "Parent" means the thread for PDEATHSIG, see prctl(2): it must live as long
		// as the plugin.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			ended <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return func() error { return <-ended }, nil
}
