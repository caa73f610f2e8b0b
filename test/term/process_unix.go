//go:build unix

package term

import (
	"os"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

func winsize(width, height int) *pty.Winsize {
	return &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}
}

// interruptible returns a file on the same terminal whose Read ends when it is
// closed. pty's file is in blocking mode: a read on it would last as long as any
// process holds the terminal.
func interruptible(master *os.File) (*os.File, error) {
	defer master.Close()
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return nil, os.NewSyscallError("set nonblocking", err)
	}
	return os.NewFile(uintptr(fd), master.Name()), nil
}

// setSize sets the size of the terminal. Not by way of File.Fd, which would
// make the file blocking again.
func setSize(tty *os.File, width, height int) error {
	conn, err := tty.SyscallConn()
	if err != nil {
		return err
	}
	var set error
	err = conn.Control(func(fd uintptr) {
		set = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(height), Col: uint16(width)})
	})
	if err != nil {
		return err
	}
	return set
}

// raw says whether keys reach the program one by one, without the terminal's own
// editing of lines.
func raw(tty *os.File) (bool, error) {
	conn, err := tty.SyscallConn()
	if err != nil {
		return false, err
	}
	var modes *unix.Termios
	var got error
	if err := conn.Control(func(fd uintptr) { modes, got = unix.IoctlGetTermios(int(fd), getTermios) }); err != nil {
		return false, err
	}
	if got != nil {
		return false, os.NewSyscallError("get termios", got)
	}
	return modes.Lflag&unix.ICANON == 0 || modes.Lflag&unix.ECHO == 0, nil
}

// terminate asks the program to end; a stopped one is continued so that it can.
func terminate(p *os.Process) {
	_ = p.Signal(syscall.SIGTERM)
	_ = p.Signal(syscall.SIGCONT)
}

// kill ends the program and its process group. The program leads a session of
// its own, so the group's id is its process id, also when it is gone.
func kill(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
}

// exitCode turns the way a process ended into a shell's exit code.
func exitCode(state *os.ProcessState) int {
	if state == nil {
		return -1 // waiting itself failed
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}
