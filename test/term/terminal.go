package term

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/creack/pty"
)

const (
	defaultWidth, defaultHeight = 120, 34

	// escGap is how long a lone Esc stands before the next byte is sent. A
	// program waits about 50 ms to tell it from the beginning of a sequence.
	escGap = 80 * time.Millisecond

	// drainTime is how long output may still come after the program ended; a
	// child of it may hold the terminal for ever.
	drainTime = time.Second

	// killAfter is how long Close waits between asking and killing.
	killAfter = 3 * time.Second
)

// Terminal is a program running in a pseudo-terminal. Its methods may be
// called from several goroutines.
type Terminal struct {
	name    string
	cmd     *exec.Cmd
	tty     *os.File
	scr     *screen
	started time.Time
	home    string
	remove  func() error // the home folder
	watches map[string]*waiter

	typing  sync.Mutex // one key after the other
	lastEsc time.Time

	exited  chan struct{} // closed when the program has ended
	code    int           // valid then
	drained chan struct{} // closed when its output has been drawn
	pumps   sync.WaitGroup
	closing sync.Once
	closed  error
}

// chunk is the result of one read of the terminal.
type chunk struct {
	data []byte
	at   time.Time
}

// Open starts a program in a new pseudo-terminal.
func Open(o Options) (*Terminal, error) {
	if o.Width == 0 {
		o.Width = defaultWidth
	}
	if o.Height == 0 {
		o.Height = defaultHeight
	}
	home, remove, err := o.makeHome()
	if err != nil {
		return nil, err
	}
	t := &Terminal{
		name: filepath.Base(o.Path), scr: newScreen(o), home: home, remove: remove,
		watches: map[string]*waiter{}, exited: make(chan struct{}), drained: make(chan struct{}),
	}
	for _, text := range o.Watch {
		t.watches[text] = t.scr.wait(contains(text))
	}
	t.cmd = exec.Command(o.Path, o.Args...)
	t.cmd.Dir = o.Dir
	t.cmd.Env = o.environment(home)

	t.started = time.Now()
	master, err := pty.StartWithSize(t.cmd, winsize(o.Width, o.Height))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting %s in a pseudo-terminal: %w", o.Path, err), remove())
	}
	t.tty, err = interruptible(master)
	if err != nil {
		_ = t.cmd.Process.Kill()
		_ = t.cmd.Wait()
		return nil, errors.Join(fmt.Errorf("preparing the pseudo-terminal: %w", err), remove())
	}
	t.pump()
	return t, nil
}

// pump starts the goroutines between program and screen. Reading and drawing
// are apart, so that a slow emulator does not slow down the program or the
// clock.
func (t *Terminal) pump() {
	chunks := make(chan chunk, 1024)
	t.pumps.Go(func() {
		defer close(chunks)
		buf := make([]byte, 64<<10)
		for {
			n, err := t.tty.Read(buf)
			if n > 0 {
				chunks <- chunk{append([]byte(nil), buf[:n]...), time.Now()}
			}
			if err != nil { // the last holder of the terminal is gone, or Close
				return
			}
		}
	})
	t.pumps.Go(func() {
		defer close(t.drained)
		for c := range chunks {
			t.scr.feed(c.data, c.at)
		}
	})
	t.pumps.Go(func() { // answers of the emulator to the program's questions
		_, _ = io.Copy(t.tty, reader(t.scr.read))
		// The program is gone; the emulator must not block on an answer.
		_, _ = io.Copy(io.Discard, reader(t.scr.read))
	})
	t.pumps.Go(func() {
		_ = t.cmd.Wait() // its error repeats the exit code
		t.code = exitCode(t.cmd.ProcessState)
		close(t.exited)
	})
}

// reader makes an io.Reader of a function.
type reader func([]byte) (int, error)

func (r reader) Read(p []byte) (int, error) { return r(p) }

// Pid is the program's process id.
func (t *Terminal) Pid() int { return t.cmd.Process.Pid }

// Home is the folder of HOME and the XDG folders.
func (t *Terminal) Home() string { return t.home }

// Frame copies the screen as it is now.
func (t *Terminal) Frame() *Frame { return t.scr.frame() }

// Screen returns the screen as plain text.
func (t *Terminal) Screen() string { return t.Frame().Text() }

// ScreenANSI returns the screen with its styles.
func (t *Terminal) ScreenANSI() string { return t.Frame().ANSI() }

// Line returns row y of the screen as plain text.
func (t *Terminal) Line(y int) string { return t.Frame().Line(y) }

// Cell returns the cell at column x and row y.
func (t *Terminal) Cell(x, y int) Cell { return t.Frame().Cell(x, y) }

// Press presses keys one after the other: names as in Keys, single characters,
// "ctrl+p", "alt+x". After a lone "esc" it waits before the next byte, because
// a program would read both as one key; one on a busy machine still may, and "csi esc"
// is the key where that matters.
func (t *Terminal) Press(keys ...string) error {
	_, err := t.press(keys...)
	return err
}

// press is Press; at is when the last key was written.
func (t *Terminal) press(keys ...string) (at time.Time, err error) {
	for _, key := range keys {
		seq, err := encode(key)
		if err != nil {
			return at, err
		}
		if at, err = t.write(seq); err != nil {
			return at, fmt.Errorf("pressing %s: %w", key, err)
		}
	}
	return at, nil
}

// Type types text as single key presses.
func (t *Terminal) Type(text string) error {
	for _, r := range text {
		if _, err := t.write(string(r)); err != nil {
			return fmt.Errorf("typing %q: %w", text, err)
		}
	}
	return nil
}

// Paste pastes text, bracketed as a terminal does.
func (t *Terminal) Paste(text string) error {
	if _, err := t.write("\x1b[200~" + text + "\x1b[201~"); err != nil {
		return fmt.Errorf("pasting: %w", err)
	}
	return nil
}

// Click presses and releases a mouse button at a cell, from 0. The program must
// have asked for the mouse to understand it.
func (t *Terminal) Click(button, x, y int) error {
	if _, err := t.write(mouse(button, x, y)); err != nil {
		return fmt.Errorf("clicking: %w", err)
	}
	return nil
}

// write sends bytes to the program, and says when.
func (t *Terminal) write(seq string) (time.Time, error) {
	t.typing.Lock()
	defer t.typing.Unlock()
	if wait := time.Until(t.lastEsc.Add(escGap)); wait > 0 {
		time.Sleep(wait)
	}
	at := time.Now()
	if seq == "\x1b" {
		t.lastEsc = at
	}
	if _, err := io.WriteString(t.tty, seq); err != nil {
		return at, fmt.Errorf("writing to %s: %w", t.name, err)
	}
	return at, nil
}

// Resize changes the size of the window and draws late, the end of a frame for the old size;
// then the program gets SIGWINCH.
func (t *Terminal) Resize(width, height int, late ...string) error {
	if width < 1 || height < 1 {
		return fmt.Errorf("a terminal of %d×%d cells does not exist", width, height)
	}
	t.scr.resize(width, height)
	for _, text := range late {
		t.Draw(text)
	}
	if err := setSize(t.tty, width, height); err != nil {
		return fmt.Errorf("resizing the pseudo-terminal: %w", err)
	}
	return nil
}

// Signal sends a signal to the program.
func (t *Terminal) Signal(sig os.Signal) error {
	if err := t.cmd.Process.Signal(sig); err != nil {
		return fmt.Errorf("signalling %s: %w", t.name, err)
	}
	return nil
}

// Raw says whether the program has the terminal in raw mode: no line editing, no
// echo.
func (t *Terminal) Raw() (bool, error) { return raw(t.tty) }

// HangUp closes the terminal under the program, as a lost connection does.
func (t *Terminal) HangUp() error { return t.tty.Close() }

// Ended says whether the program has ended.
func (t *Terminal) Ended() bool {
	select {
	case <-t.exited:
		return true
	default:
		return false
	}
}

// Wait waits for the program to end and its output to be drawn. The code of a
// program that a signal ended is 128 and the signal's number, as in a shell.
func (t *Terminal) Wait(timeout time.Duration) (code int, err error) {
	timer := time.NewTimer(orDefault(timeout))
	defer timer.Stop()
	select {
	case <-t.exited:
	case <-timer.C:
		return 0, t.complain("has not ended", orDefault(timeout))
	}
	select {
	case <-t.drained:
	case <-time.After(drainTime):
	}
	return t.code, nil
}

// Close ends the program, kindly first, and frees everything.
func (t *Terminal) Close() error {
	t.closing.Do(func() {
		select {
		case <-t.exited:
		default:
			terminate(t.cmd.Process)
			select {
			case <-t.exited:
			case <-time.After(killAfter):
			}
		}
		kill(t.cmd.Process) // and what it left in its process group
		<-t.exited
		_ = t.tty.Close()
		t.scr.close()
		t.pumps.Wait()
		if err := t.remove(); err != nil {
			t.closed = fmt.Errorf("removing the home folder: %w", err)
		}
	})
	return t.closed
}

// Draw draws bytes on the screen that the program has not written now: what was
// still on its way from an earlier frame.
func (t *Terminal) Draw(text string) { t.scr.feed([]byte(text), time.Now()) }
