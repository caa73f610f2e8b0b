package job

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"time"
)

// ErrNoShell is the error of a stop that no shell is waiting for.
var ErrNoShell = errors.New("no shell is waiting: Rung cannot be suspended here")

// Grace of an editor that was told to end: before SIGHUP, which
// some listen to more, and before it is killed.
const (
	hangUpAfter = 700 * time.Millisecond
	killAfter   = 1300 * time.Millisecond
)

// TerminalControl knows whether the screen or another program has the terminal.
type TerminalControl struct {
	ctx  context.Context
	ask  func(stop bool)
	got  chan os.Signal
	over chan struct{}
	done chan struct{}

	mu     sync.Mutex
	away   bool      // the terminal is not the screen's
	halted time.Time // the last stop: its own signals come back to Rung as well
}

// echo is how long after a stop signals are its own.
const echo = 300 * time.Millisecond

// New begins to listen to the signals that stop the process and let it go on. ask
// is called, from one goroutine, when the screen should be left for a stop, and
// when it should be drawn anew because somebody else had the terminal. ctx is what
// ends the screen and the programs in front of it.
func New(ctx context.Context, ask func(stop bool)) *TerminalControl {
	c := &TerminalControl{ctx: ctx, ask: ask, got: make(chan os.Signal, 4), over: make(chan struct{}), done: make(chan struct{})}
	c.listenForStops()
	go c.runStops()
	return c
}

// Close gives the signals back.
func (c *TerminalControl) Close() {
	signal.Stop(c.got)
	close(c.over)
	<-c.done
}

func (c *TerminalControl) runStops() {
	defer close(c.done)
	for {
		select {
		case <-c.over:
			return
		case s := <-c.got:
			c.mu.Lock()
			away, own := c.away, time.Since(c.halted) < echo
			c.mu.Unlock()
			switch {
			case own:
			case !away:
				c.ask(s == stopSignal)
			case s == stopSignal:
				_ = c.haltGroup() // the terminal is the editor's: there is nothing to restore
			}
		}
	}
}

// takeTerminal says that the terminal is not the screen's any more.
func (c *TerminalControl) takeTerminal() { c.setAway(true) }

// giveTerminal says that it is the screen's again.
func (c *TerminalControl) giveTerminal() { c.setAway(false) }

func (c *TerminalControl) setAway(away bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.away = away
}

// noteHalt notes the moment of a stop, before it and after it.
func (c *TerminalControl) noteHalt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.halted = time.Now()
}

// waitUntilLeft returns when the screen has surely been left since began. Bubble Tea does
// not wait for its drawing to stop: where the terminal is given back at once, the
// old drawing stops the clock of the new one, and nothing is drawn any more
// (https://github.com/charmbracelet/bubbletea/issues/1778). It sleeps in pieces,
// since on a busy machine what it waits for is late as well. The time in which the
// process was stopped does not count: its drawing did not go on then.
func (c *TerminalControl) waitUntilLeft(began time.Time) {
	c.mu.Lock()
	if c.halted.After(began) {
		began = time.Now()
	}
	c.mu.Unlock()
	for n := 0; n < lingers && time.Since(began) < lingers*lingerFor; n++ {
		time.Sleep(lingerFor)
	}
}

// A tenth of a second was too short once, with eight programs on each core.
const lingers, lingerFor = 25, 10 * time.Millisecond

// PauseCommand is the tea.ExecCommand that Bubble Tea runs while the screen is left: it
// stops the process, or does nothing, after which the screen is set up anew.
type PauseCommand struct {
	c    *TerminalControl
	stop bool
}

// NewPause makes a PauseCommand.
func (c *TerminalControl) NewPause(stop bool) *PauseCommand { return &PauseCommand{c, stop} }

// Run returns when the process goes on. The error is ErrNoShell when it could not
// be stopped.
func (p *PauseCommand) Run() error {
	defer p.c.waitUntilLeft(time.Now())
	p.c.takeTerminal()
	defer p.c.giveTerminal()
	if !p.stop {
		return nil
	}
	return p.c.haltGroup()
}

// SetStdin is tea.ExecCommand's.
func (*PauseCommand) SetStdin(io.Reader) {}

// SetStdout is tea.ExecCommand's.
func (*PauseCommand) SetStdout(io.Writer) {}

// SetStderr is tea.ExecCommand's.
func (*PauseCommand) SetStderr(io.Writer) {}

// FrontProgram is a program in front of the terminal, as tea.ExecCommand.
type FrontProgram struct {
	c   *TerminalControl
	cmd *exec.Cmd
}

// NewProgram makes a FrontProgram of a command that was not started.
func (c *TerminalControl) NewProgram(cmd *exec.Cmd) *FrontProgram { return &FrontProgram{c, cmd} }

// Run runs the program to its end. When the screen is to end, so is the program:
// it gets the signal Rung got, and some time to save what it holds.
func (p *FrontProgram) Run() error {
	defer p.c.waitUntilLeft(time.Now())
	p.c.takeTerminal()
	defer p.c.giveTerminal()
	return p.runProgram()
}

// SetStdin is tea.ExecCommand's.
func (p *FrontProgram) SetStdin(r io.Reader) { p.cmd.Stdin = plainInput(r) }

// SetStdout is tea.ExecCommand's.
func (p *FrontProgram) SetStdout(w io.Writer) {
	if o, ok := w.(*TerminalOutput); ok {
		w = o.File
	}
	p.cmd.Stdout = w
}

// SetStderr is tea.ExecCommand's.
func (p *FrontProgram) SetStderr(w io.Writer) { p.cmd.Stderr = w }

// runInGroup runs a program that shares Rung's process group.
func (p *FrontProgram) runInGroup() error {
	if err := p.cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	told := make(chan struct{})
	go func() {
		defer close(told)
		p.endProgram(ended, func(s os.Signal) { _ = p.cmd.Process.Signal(s) })
	}()
	err := p.cmd.Wait()
	close(ended)
	<-told
	return err
}

// endProgram tells a program to end once the screen is to, ever more clearly until it
// has.
func (p *FrontProgram) endProgram(ended <-chan struct{}, tell func(os.Signal)) {
	select {
	case <-ended:
		return
	case <-p.c.ctx.Done():
	}
	told := time.Now()
	for _, x := range []struct {
		at  time.Duration
		sig os.Signal
	}{{0, p.c.endSignal()}, {hangUpAfter, hangUp}, {killAfter, os.Kill}} {
		t := time.NewTimer(time.Until(told.Add(x.at)))
		select {
		case <-ended:
			t.Stop()
			return
		case <-t.C:
			tell(x.sig)
		}
	}
}

// endSignal is the signal an editor is told to end by: the one that ended Rung where
// editors save what they hold at it, else SIGTERM.
func (c *TerminalControl) endSignal() os.Signal {
	var by interface{ Signal() os.Signal }
	if errors.As(context.Cause(c.ctx), &by) && by.Signal() == hangUp {
		return hangUp
	}
	return endSignal
}

// NoTerminal says whether a program could not open the terminal it reads keys from.
func NoTerminal(err error) bool {
	var path *os.PathError
	return errors.As(err, &path) && path.Path == "/dev/tty"
}
