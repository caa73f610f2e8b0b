package servers

import (
	"errors"
	"net"
)

var errWindows = errors.New("Windows runs no servers")

// KillProcess, StopProcess and ContProcess fail: Windows runs no servers.
func KillProcess(int) error { return errWindows }

// StopProcess fails.
func StopProcess(int) error { return errWindows }

// ContProcess fails.
func ContProcess(int) error { return errWindows }

func peer(*net.UnixConn) (int, error) { return 0, errWindows }
