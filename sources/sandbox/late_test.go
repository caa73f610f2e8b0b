package sandbox

import (
	"net"
	"os"
	"time"
)

// lateEnv has the test's own binary listen on a socket, some time after it was started.
const (
	lateEnv = "RUNG_TEST_SOCKET"
	late    = 300 * time.Millisecond
)

// ListenLate is for TestMain: it reports whether this process was started to listen late, and
// listens until it is killed.
func ListenLate() bool {
	path := os.Getenv(lateEnv)
	if path == "" {
		return false
	}
	time.Sleep(late)
	_ = os.Remove(path) // of the one before
	l, err := net.Listen("unix", path)
	for err == nil {
		var c net.Conn
		if c, err = l.Accept(); err == nil {
			_ = c.Close()
		}
	}
	return true
}
