package sandbox

import (
	"errors"
	"os"
)

// realServers is false: ovsdb-server's unix sockets are something else here.
const realServers = false

var stopSignal, contSignal os.Signal = os.Interrupt, os.Interrupt

func giveWay(int) {}

func newGuard() (guard, error) {
	return nil, errors.New("real ovsdb-servers are not supported on this system")
}
