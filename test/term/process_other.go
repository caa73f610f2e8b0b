//go:build !unix

package term

import (
	"os"

	"github.com/creack/pty"
)

// Pseudo-terminals exist on Unix only; elsewhere the package compiles and Open
// returns pty.ErrUnsupported.

func winsize(width, height int) *pty.Winsize {
	return &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}
}

func interruptible(master *os.File) (*os.File, error) { return master, nil }

func setSize(*os.File, int, int) error { return pty.ErrUnsupported }

func raw(*os.File) (bool, error) { return false, pty.ErrUnsupported }

func terminate(p *os.Process) { _ = p.Kill() }

func kill(p *os.Process) { _ = p.Kill() }

func exitCode(state *os.ProcessState) int {
	if state == nil {
		return -1
	}
	return state.ExitCode()
}
