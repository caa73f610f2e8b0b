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

func (c *TerminalControl) listenForStops() {}

func (c *TerminalControl) haltGroup() error { return ErrNoShell }

func (p *FrontProgram) runProgram() error { return p.runInGroup() }

func inputComes(*os.File, time.Duration) bool { return true } // Bubble Tea waits

func discardOutput(*os.File) {}
