package servers

import (
	"net"

	"golang.org/x/sys/unix"
)

// peer returns the process that listens at the other end of a connection.
func peer(c *net.UnixConn) (pid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	if e := raw.Control(func(fd uintptr) { pid, err = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID) }); e != nil {
		return 0, e
	}
	return pid, err
}
