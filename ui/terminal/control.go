package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// ErrNoShell is the error of a stop that no shell is waiting for.
var ErrNoShell = errors.New("no shell is waiting: Rung cannot be suspended here")

// killAfter is how long an editor may take to end once it was told to.
const killAfter = 1300 * time.Millisecond

// Control lends the terminal to other programs.
type Control struct {
	ctx  context.Context
	away atomic.Bool // the terminal is lent
	got  chan os.Signal
	done chan struct{}

	// OnAway reports that the terminal is lent: an interrupt typed there is not for Rung.
	OnAway func(away bool)
}

// NewControl listens for the signals that stop the process and let it go on. redraw is
// called from one goroutine: with stop when the screen should be left for a stop, without
// when another program may have drawn over it. The end of ctx ends the editor.
func NewControl(ctx context.Context, redraw func(stop bool)) *Control {
	c := &Control{ctx: ctx, got: make(chan os.Signal, 4), done: make(chan struct{}), OnAway: func(bool) {}}
	listenForStops(c.got)
	go func() {
		defer close(c.done)
		for s := range c.got {
			switch {
			case !c.away.Load():
				redraw(s == stopSignal)
			case s == stopSignal:
				_ = stopGroup() // the editor restores its screen itself
			}
		}
	}()
	return c
}

// Close stops listening.
func (c *Control) Close() {
	signal.Stop(c.got)
	close(c.got)
	<-c.done
}

// Pause returns the command that leaves the screen, stops the process group if stop is
// set, and draws the screen again. Its error is ErrNoShell if no shell could continue it.
func (c *Control) Pause(stop bool) tea.ExecCommand {
	return &screenCommand{Control: c, run: func(l *screenCommand) error {
		if stop {
			ShowCursor(l.out)
			return stopGroup()
		}
		return nil
	}}
}

// Program returns the command that runs cmd in front of the terminal. When the console
// ends, cmd gets SIGTERM or SIGHUP, and is killed after killAfter.
func (c *Control) Program(cmd *exec.Cmd) tea.ExecCommand {
	return &screenCommand{Control: c, run: func(l *screenCommand) error { return l.runProgram(cmd) }}
}

// ShowCursor shows the cursor of a screen that was left. Bubble Tea does so only if its last view had none, and a
// terminal may keep one for each of its two screens.
func ShowCursor(out io.Writer) { _, _ = io.WriteString(out, ansi.SetModeTextCursorEnable) }

// screenCommand is a tea.ExecCommand: it runs while the screen is left.
type screenCommand struct {
	*Control
	run      func(*screenCommand) error
	in       io.Reader
	out, err io.Writer
}

func (l *screenCommand) SetStdin(r io.Reader)  { l.in = r }
func (l *screenCommand) SetStdout(w io.Writer) { l.out = w }
func (l *screenCommand) SetStderr(w io.Writer) { l.err = w }

// Run returns when the screen can be drawn again.
func (l *screenCommand) Run() error {
	l.away.Store(true)
	l.OnAway(true)
	err := l.run(l)
	// Bubble Tea does not wait until its drawing has stopped. If the terminal comes back
	// sooner, the old drawing stops the clock of the new one, and the screen freezes
	// (https://github.com/charmbracelet/bubbletea/issues/1778). Short sleeps also
	// outlast a stop of the process and a busy machine.
	for range 25 {
		time.Sleep(10 * time.Millisecond)
	}
	l.OnAway(false)
	l.away.Store(false)
	return err
}

func (l *screenCommand) runProgram(from *exec.Cmd) error {
	cmd := exec.CommandContext(l.ctx, from.Path, from.Args[1:]...)
	cmd.Args, cmd.Env, cmd.Dir, cmd.Err = from.Args, from.Env, from.Dir, from.Err
	cmd.Stdin, cmd.Stdout, cmd.Stderr = l.in, l.out, l.err
	if in, ok := l.in.(*Input); ok {
		cmd.Stdin = in.File
	}
	if out, ok := l.out.(*Output); ok {
		cmd.Stdout = out.File
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(endSignal(l.ctx)) }
	cmd.WaitDelay = killAfter
	tty, ok := cmd.Stdin.(*os.File)
	if !ok || !term.IsTerminal(tty.Fd()) {
		return cmd.Run()
	}
	before, err := term.GetState(tty.Fd())
	if err != nil {
		return cmd.Run()
	}
	err = cmd.Run()
	_ = term.Restore(tty.Fd(), before)
	if err != nil {
		_, _ = io.WriteString(cmd.Stdout, leave)
	}
	return err
}

// endSignal returns the signal that tells an editor to end: SIGHUP if that ended Rung,
// since editors save their text then, else SIGTERM.
func endSignal(ctx context.Context) os.Signal {
	var by interface{ Signal() os.Signal }
	if errors.As(context.Cause(ctx), &by) && by.Signal() == syscall.SIGHUP {
		return syscall.SIGHUP
	}
	return syscall.SIGTERM
}

// IsNoTerminal reports whether a program could not open the terminal it reads keys from.
func IsNoTerminal(err error) bool {
	var path *os.PathError
	return errors.As(err, &path) && path.Path == "/dev/tty"
}
