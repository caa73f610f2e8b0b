//go:build !unix

package job

import (
	"os"
	"syscall"
	"time"
)

var (
	stopSignal os.Signal // there is none
	hangUp     os.Signal = syscall.SIGHUP
	endSignal  os.Signal = os.Kill // the only one a process can be sent
)

func (c *Control) listen() {}

func (c *Control) halt() error { return ErrNoShell }

func (p *Program) run() error { return p.plainly() }

func comes(*os.File, time.Duration) bool { return true } // Bubble Tea waits

func discard(*os.File) {}
