package terminal

import (
	"bytes"
	"fmt"
	"os/exec"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"
	"go.uber.org/goleak"

	"rung/test/wait"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The screen is drawn again after everything that had the terminal, however short:
// a SIGCONT that nobody waited for, an editor that is not there.
func TestScreenComesBack(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(*Control) tea.ExecCommand
	}{
		{"nothing to wait for", func(c *Control) tea.ExecCommand { return c.Pause(false) }},
		{"no such editor", func(c *Control) tea.ExecCommand { return c.Program(exec.Command("/nonexistent/editor")) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			control := NewControl(t.Context(), func(bool) {})
			defer control.Close()
			var out screen
			p := tea.NewProgram(&away{run: func() tea.ExecCommand { return c.run(control) }},
				tea.WithInput(nil), tea.WithOutput(&out), tea.WithoutSignalHandler(), tea.WithWindowSize(40, 5), tea.WithFPS(120))
			ended := make(chan error, 1)
			go func() { _, err := p.Run(); ended <- err }()
			defer func() {
				p.Quit()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			}()
			out.shows(t, "back 0")
			for n := range 6 {
				p.Send(leaveMsg{})
				out.shows(t, fmt.Sprintf("back %d", n+1))
			}
		})
	}
}

type (
	leaveMsg struct{}
	backMsg  struct{}
)

// away is a screen that says how often it came back.
type away struct {
	run func() tea.ExecCommand
	n   int
}

func (*away) Init() tea.Cmd { return nil }

func (m *away) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg.(type) {
	case leaveMsg:
		return m, tea.Exec(m.run(), func(error) tea.Msg { return backMsg{} })
	case backMsg:
		m.n++
	}
	return m, nil
}

func (m *away) View() tea.View {
	v := tea.NewView(fmt.Sprintf("back %d ", m.n))
	v.AltScreen = true
	return v
}

// screen is what was drawn so far.
type screen struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(p)
}

// shows waits until a text is drawn in one piece.
func (s *screen) shows(t *testing.T, text string) {
	t.Helper()
	wait.Within(t, wait.Patience, "the screen shows "+text, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return bytes.Contains(s.all.Bytes(), []byte(text))
	})
}
