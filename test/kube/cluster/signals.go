package cluster

import "syscall"

// Signals that stall a server and let it go on.
const (
	stopSignal = syscall.SIGSTOP
	contSignal = syscall.SIGCONT
)
