package child

import (
	"errors"
	"os"
)

// Supported is false: the unix sockets of OVS are something else here.
const Supported = false

var stopSignal, contSignal os.Signal = os.Interrupt, os.Interrupt

func lowerPriority(int) {}

func killAll(p *os.Process) error { return p.Kill() }

// NewGuard fails.
func NewGuard() (Guard, error) {
	return nil, errors.New("programs of OVS are not supported on this system")
}
