package sandbox

import (
	"os/exec"
	"runtime"
	"syscall"
)

// NewGuard returns a guard that relies on the kernel: a child gets SIGKILL when the thread that started it
// ends.
func NewGuard() (Guard, error) { return deathSignal{}, nil }

type deathSignal struct{}

func (deathSignal) Start(cmd *exec.Cmd) (func() error, error) {
	ownProcessGroup(cmd)
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	started, ended := make(chan error), make(chan error, 1)
	go func() {
		// PDEATHSIG's "parent" is the thread (prctl(2)), so the thread must live as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			err := cmd.Wait()
			killLeftover(cmd)
			ended <- err
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return func() error { return <-ended }, nil
}

func (deathSignal) Close() {}
