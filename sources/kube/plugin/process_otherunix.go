//go:build unix && !linux

package plugin

import "os/exec"

// start starts a plugin and returns what waits for its end.
func start(cmd *exec.Cmd) (wait func() error, err error) {
	apart(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return cmd.Wait, nil
}
