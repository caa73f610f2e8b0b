package sandbox

import "rung/model/limits"

// bridgePort is a port of br-int; none can be made here.
type bridgePort struct{ lport, iface, path string }

func newPort(*Zone, string, string) (*bridgePort, error) {
	return nil, limits.Error("windows", limits.Servers)
}

func (*bridgePort) drainPipe() {}
func (*bridgePort) closePipe() {}
