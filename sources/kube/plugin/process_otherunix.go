//go:build unix && !linux

package plugin

import "os/exec"

// startPlugin starts a plugin and returns what waits for its end.
func startPlugin(cmd *exec.Cmd) (wait func() error, err error) {
	setOwnSession(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return cmd.Wait, nil
}
