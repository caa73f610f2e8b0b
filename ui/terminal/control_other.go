//go:build !unix

package terminal

import (
	"os"
	"time"
)

var stopSignal os.Signal // not supported

func listenForStops(chan<- os.Signal) {}

func stopGroup() error { return ErrNoShell }

func inputComes(*os.File, time.Duration) bool { return true } // Bubble Tea waits

func discardOutput(*os.File) {}
