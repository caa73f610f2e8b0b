package ui

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"rung/engine"
	"rung/test/wait"
	"rung/themes"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// still is an engine with nothing to do and a clock of the test's.
type still struct {
	*engine.Engine
	now  atomic.Pointer[time.Time]
	held chan struct{} // Contexts waits for it
}

func newStill(t *testing.T) *still {
	t.Helper()
	e, err := engine.New(context.Background(), engine.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	s := &still{Engine: e, held: make(chan struct{})}
	at := time.Date(2026, 10, 3, 3, 0, 0, 0, time.UTC)
	s.now.Store(&at)
	return s
}

func (s *still) Now() time.Time { return *s.now.Load() }

func (s *still) pass(d time.Duration) {
	at := s.Now().Add(d)
	s.now.Store(&at)
}

func (s *still) Contexts() ([]string, string, error) {
	<-s.held
	return []string{"a"}, "a", nil
}

// stillRoot is a model of 80×24 cells; what it wants done is dropped.
func stillRoot(t *testing.T, s *still, opt Options) *rootModel {
	t.Helper()
	m := freshRoot(t, s, opt)
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	return m
}

func freshRoot(t *testing.T, s *still, opt Options) *rootModel {
	t.Helper()
	opt.StateDir = t.TempDir()
	opt.Themes = themes.BuiltinThemes()
	opt.fillDefaults()
	ctx, cancel := context.WithCancel(context.Background())
	m := newRoot(ctx, s, opt)
	t.Cleanup(func() { cancel(); m.pageTrail.endAll(); m.session.endSession() })
	return m
}

func frameOf(m *rootModel) string { return ansi.Strip(m.View().Content) }

// Below 200 ms nothing is said; then a sign turns until the work is done, and the clock
// stops with it.
func TestSpins(t *testing.T) {
	s := newStill(t)
	m := stillRoot(t, s, Options{})
	idle := frameOf(m)
	if m.spinning {
		t.Fatal("the clock runs although nothing is done")
	}
	m.runAsk(m.topEntry(), view.RunAsk{What: "counting stars", Do: func(context.Context) any { return nil }})
	job := m.jobs.last
	m.Update(nil)
	if !m.spinning {
		t.Fatal("nobody will say that something is done")
	}
	s.pass(widget.SpinAfter - time.Millisecond)
	m.Update(spinMsg{})
	if got := frameOf(m); got != idle {
		t.Errorf("before its time:\n%s", got)
	}
	s.pass(time.Millisecond)
	signs := map[string]bool{}
	for range 8 {
		_, cmd := m.Update(spinMsg{})
		if cmd == nil || !m.spinning {
			t.Fatal("the clock stopped")
		}
		lines := strings.Split(frameOf(m), "\n")
		last := strings.TrimSpace(lines[len(lines)-1])
		sign, what, _ := strings.Cut(last, " ")
		signs[sign] = true
		if what != "counting stars" {
			t.Fatalf("the last line is %q", last)
		}
		s.pass(widget.SpinEvery)
	}
	if len(signs) != 8 {
		t.Errorf("the sign does not turn: %v", signs)
	}
	// A second one is said when it has taken long, too, and has no clock of its own.
	m.runAsk(m.topEntry(), view.RunAsk{What: "another thing", Do: func(context.Context) any { return nil }})
	m.cmds = nil // the work itself
	if _, cmd := m.Update(nil); !m.spinning || cmd != nil {
		t.Error("it has a clock of its own")
	}
	if got := frameOf(m); strings.Contains(got, "another") {
		t.Errorf("said at once:\n%s", got)
	}
	m.Update(jobMsg{entry: m.topEntry().id, job: job})
	m.Update(jobMsg{entry: m.topEntry().id, job: m.jobs.last})
	if got := frameOf(m); got != idle {
		t.Errorf("it is done:\n%s", got)
	}
	if _, cmd := m.Update(spinMsg{}); cmd != nil || m.spinning || m.dirty {
		t.Error("the clock goes on with nothing to do")
	}
}

// The jobs of the root model's own are said as well.
func TestOwnJobsSpin(t *testing.T) {
	for what, start := range map[string]func(*rootModel){
		"saving the page":          func(m *rootModel) { m.doRootAction("app.save") },
		"reading the newest state": func(m *rootModel) { m.doRootAction("app.refresh") },
		"switching to context b":   func(m *rootModel) { m.switchTo("b") },
		"reading the kubeconfig":   func(m *rootModel) { m.openPage(nav.NewPage(nav.Contexts), false) },
		"changing the mode": func(m *rootModel) {
			writes := *m.rev // back to read-only needs no question
			writes.Mode.Writes = true
			m.rev = &writes
			m.doRootAction("app.writes")
		},
	} {
		t.Run(what, func(t *testing.T) {
			s := newStill(t)
			m := stillRoot(t, s, Options{Switch: func(context.Context, string) (Console, error) { return nil, engine.ErrNoCluster }})
			start(m)
			m.Update(nil)
			s.pass(widget.SpinAfter)
			m.Update(spinMsg{})
			if got := frameOf(m); !strings.Contains(got, what) {
				t.Errorf("not said:\n%s", got)
			}
		})
	}
}

// Terminals without colours and screen readers get a line that turns.
func TestSpinsPlainly(t *testing.T) {
	for name, c := range map[string]struct {
		opt   Options
		msg   tea.Msg
		plain bool
	}{
		"colours":  {Options{}, tea.ColorProfileMsg{Profile: colorprofile.TrueColor}, false},
		"NO_COLOR": {Options{}, tea.ColorProfileMsg{Profile: colorprofile.ASCII}, true},
		"dumb":     {Options{}, tea.ColorProfileMsg{Profile: colorprofile.NoTTY}, true},
		"ascii":    {Options{Config: Config{ASCII: true}}, tea.ColorProfileMsg{Profile: colorprofile.TrueColor}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStill(t)
			m := stillRoot(t, s, c.opt)
			m.Update(c.msg)
			m.jobs.beginJob("counting stars", m.now)
			s.pass(time.Second)
			for range 8 {
				m.Update(spinMsg{})
				frame := frameOf(m)
				i := strings.Index(frame, " counting stars")
				if i < 0 {
					t.Fatalf("not said:\n%s", frame)
				}
				sign := frame[strings.LastIndexByte(frame[:i], '\n')+2 : i]
				if plain := len(sign) == 1 && strings.Contains(`|/-\`, sign); plain != c.plain {
					t.Fatalf("the sign is %q", sign)
				}
			}
		})
	}
}

// An idle console in the real program has no ticks but the one of each second; a job has
// them until it is done.
func TestIdleHasNoTicks(t *testing.T) {
	s := newStill(t)
	m := freshRoot(t, s, Options{})
	var ticks, all atomic.Int64
	var out buffer
	p := tea.NewProgram(m, tea.WithInput(nil), tea.WithOutput(&out), tea.WithoutSignalHandler(), tea.WithWindowSize(80, 24),
		tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
			all.Add(1)
			if _, ok := msg.(spinMsg); ok {
				ticks.Add(1)
				s.pass(widget.SpinEvery)
			}
			return msg
		}))
	ended := make(chan error, 1)
	go func() { _, err := p.Run(); ended <- err }()
	defer func() {
		p.Quit()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	wait.Within(t, wait.Patience, "the program begins", func() bool { return out.n.Load() > 0 })
	time.Sleep(300 * time.Millisecond) // what belongs to the beginning
	was := all.Load()
	time.Sleep(1200 * time.Millisecond)
	if n := all.Load() - was; ticks.Load() != 0 || n > 4 {
		t.Errorf("an idle console had %d ticks and %d messages", ticks.Load(), n)
	}
	p.Send(tea.KeyPressMsg{Code: 'C', Text: "C"})
	wait.Within(t, wait.Patience, "the kubeconfig is being read and says so", func() bool { return ticks.Load() >= 5 })
	close(s.held)
	wait.Within(t, wait.Patience, "the ticks end", func() bool {
		n := ticks.Load()
		time.Sleep(4 * widget.SpinEvery)
		return ticks.Load() == n
	})
}

// buffer counts what is written.
type buffer struct{ n atomic.Int64 }

func (b *buffer) Write(p []byte) (int, error) {
	b.n.Add(int64(len(p)))
	return io.Discard.Write(p)
}
