package term

import (
	"encoding/base64"
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// Default colours of the emulated terminal. Programs ask for them to choose
// between a dark and a light theme.
var (
	darkFg  = color.RGBA{0xd7, 0xda, 0xe0, 0xff}
	darkBg  = color.RGBA{0x16, 0x18, 0x1d, 0xff}
	lightFg = color.RGBA{0x24, 0x29, 0x2f, 0xff}
	lightBg = color.RGBA{0xff, 0xff, 0xff, 0xff}
)

// screen is the emulator behind one lock. The library's own locked wrapper
// leaves some methods unlocked, and hands out pointers into its buffer.
type screen struct {
	mu      sync.Mutex
	em      *vt.Emulator
	light   bool
	title   string
	clip    string
	cursor  bool               // shown
	taken   map[ansi.Mode]bool // of takes: set now
	shown   *Frame             // inside a synchronised update: what was complete before it, else nil
	at      time.Time
	last    *Frame // of the current contents; nil when they changed
	waiters []*waiter
	inserts inserts
	err     error // the emulator failed: nothing more is drawn
}

// takes are the modes by which a program takes keys and clicks away from the
// terminal's user.
var takes = []ansi.Mode{ansi.ModeMouseX10, ansi.ModeMouseNormal, ansi.ModeMouseButtonEvent, ansi.ModeMouseAnyEvent, ansi.ModeMouseExtSgr, ansi.ModeBracketedPaste, ansi.ModeFocusEvent}

// waiter is told the time of the first complete frame that fits.
type waiter struct {
	fits func(*Frame) bool
	done chan struct{} // closed when a frame fitted
	at   time.Time     // valid then: when its last byte was read
}

// fulfil ends the waiting.
func (w *waiter) fulfil(at time.Time) {
	w.at = at
	close(w.done)
}

func newScreen(o Options) *screen {
	s := &screen{em: vt.NewEmulator(o.Width, o.Height), light: o.Light, cursor: true, taken: map[ansi.Mode]bool{}}
	s.em.SetDefaultForegroundColor(darkFg)
	s.em.SetDefaultBackgroundColor(darkBg)
	if o.Light {
		s.em.SetDefaultForegroundColor(lightFg)
		s.em.SetDefaultBackgroundColor(lightBg)
	}
	s.em.SetCallbacks(vt.Callbacks{
		Title:            func(t string) { s.title = t },
		CursorVisibility: func(shown bool) { s.cursor = shown },
		EnableMode: func(m ansi.Mode) {
			if m == ansi.ModeSynchronizedOutput && s.shown == nil {
				s.shown = s.snapshot()
				s.last = nil
			}
			if slices.Contains(takes, m) {
				s.taken[m] = true
			}
		},
		DisableMode: func(m ansi.Mode) {
			delete(s.taken, m)
			if m == ansi.ModeSynchronizedOutput && s.shown != nil {
				s.shown = nil
				s.complete()
			}
		},
	})
	// The emulator does not list synchronised updates among its modes, although
	// it can: say so, and frames become exact.
	s.em.RegisterCsiHandler(ansi.Command('?', '$', 'p'), func(p ansi.Params) bool {
		if n, _, ok := p.Param(0, 0); !ok || ansi.DECMode(n) != ansi.ModeSynchronizedOutput {
			return false
		}
		setting := ansi.ModeReset
		if s.shown != nil {
			setting = ansi.ModeSet
		}
		_, _ = io.WriteString(s.em.InputPipe(), ansi.ReportMode(ansi.ModeSynchronizedOutput, setting))
		return true
	})
	// A region beyond the screen, meant for a size the window had a moment ago,
	// would break the emulator when it scrolls; a terminal bears it.
	s.em.RegisterCsiHandler('r', func(p ansi.Params) bool {
		bottom, _, ok := p.Param(1, 0)
		return ok && bottom > s.em.Height()
	})
	s.em.RegisterOscHandler(52, func(data []byte) bool {
		fields := strings.SplitN(string(data), ";", 3) // 52, which clipboard, the text
		if len(fields) < 3 || fields[2] == "?" {
			return false
		}
		text, err := base64.StdEncoding.DecodeString(fields[2])
		if err != nil {
			return false
		}
		s.clip = string(text)
		return true
	})
	return s
}

// feed draws what the program wrote. at is when it was read.
func (s *screen) feed(data []byte, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	// A sequence the emulator cannot bear must fail this terminal, not the
	// whole test binary.
	defer func() {
		if r := recover(); r != nil {
			s.err = fmt.Errorf("terminal emulator failed on %q: %v", short(data), r)
		}
	}()
	s.at = at
	s.last = nil
	_, _ = s.em.Write(s.inserts.draw(data))
	if s.shown == nil {
		s.complete()
	}
}

// complete tells the waiters about a complete frame. The lock is held.
func (s *screen) complete() {
	s.last = nil
	if len(s.waiters) == 0 {
		return
	}
	frame := s.snapshot()
	s.waiters = slices.DeleteFunc(s.waiters, func(w *waiter) bool {
		if !w.fits(frame) {
			return false
		}
		w.fulfil(s.at)
		return true
	})
}

// wait registers a condition. When it holds now already, the answer is the
// time of the last write.
func (s *screen) wait(fits func(*Frame) bool) *waiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &waiter{fits: fits, done: make(chan struct{})}
	if s.shown == nil && fits(s.snapshot()) {
		w.fulfil(s.at)
		return w
	}
	s.waiters = append(s.waiters, w)
	return w
}

// forget takes a waiter off the list.
func (s *screen) forget(w *waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiters = slices.DeleteFunc(s.waiters, func(o *waiter) bool { return o == w })
}

// frame returns the last complete frame.
func (s *screen) frame() *Frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown != nil {
		return s.shown
	}
	return s.snapshot()
}

// failed returns why nothing is drawn any more.
func (s *screen) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// wroteAt returns when the program last wrote.
func (s *screen) wroteAt() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}

// snapshot copies the screen; equal contents give the same frame. The lock is
// held.
func (s *screen) snapshot() *Frame {
	if s.last != nil {
		return s.last
	}
	w, h := s.em.Width(), s.em.Height()
	pos := s.em.CursorPosition()
	f := &Frame{
		Width: w, Height: h,
		CursorX: pos.X, CursorY: pos.Y, CursorShown: s.cursor,
		AltScreen: s.em.IsAltScreen(), Taken: len(s.taken) > 0, Title: s.title, Clipboard: s.clip, Light: s.light,
		Foreground: s.em.ForegroundColor(), Background: s.em.BackgroundColor(),
		cells: make([]Cell, w*h),
	}
	for y := range h {
		for x := range w {
			if c := s.em.CellAt(x, y); c != nil {
				f.cells[y*w+x] = *c
			}
		}
	}
	s.last = f
	return f
}

// resize changes the size of the emulator.
func (s *screen) resize(w, h int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.em.Resize(w, h)
	s.last = nil
}

// read returns what the emulator answers to the program, io.EOF after close.
func (s *screen) read(p []byte) (int, error) { return s.em.Read(p) }

// close ends read. The emulator's own Close writes a field that its Read reads
// without a lock, so the pipe is closed instead.
func (s *screen) close() {
	if c, ok := s.em.InputPipe().(io.Closer); ok {
		_ = c.Close()
	}
}

// short cuts data for an error message.
func short(data []byte) []byte {
	const most = 200
	if len(data) > most {
		return data[:most]
	}
	return data
}
