package sandbox

import "rung/model/words"

// bridgePort is a port of br-int; Windows has none.
type bridgePort struct{ lport, iface, path string }

func newPort(*Zone, string, string) (*bridgePort, error) {
	return nil, words.ServersError("windows")
}

func (*bridgePort) drainPipe() {}
func (*bridgePort) closePipe() {}
