package child

import (
	"os/exec"
	"runtime"
	"syscall"
)

// NewGuard uses the kernel's word: a child gets SIGKILL when the thread that
// started it ends.
func NewGuard() (Guard, error) { return deathSignal{}, nil }

type deathSignal struct{}

func (deathSignal) Start(cmd *exec.Cmd) (func() error, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Pdeathsig: syscall.SIGKILL,
		Setpgid:   true, // the terminal's ^C and ^Z are for Rung alone
	}
	started, ended := make(chan error), make(chan error, 1)
	go func() {
		// "Parent" means the thread for PDEATHSIG, see prctl(2): it must live
		// as long as the child.
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

func (deathSignal) Close() {}
