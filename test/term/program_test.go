//go:build unix

package term

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"go.uber.org/goleak"
)

// programVar makes the test binary be a small program instead: the tests run
// themselves in the terminal, so nothing needs to be built.
const programVar = "RUNG_TERM_TEST_PROGRAM"

func TestMain(m *testing.M) {
	switch os.Getenv(programVar) {
	case "":
		goleak.VerifyTestMain(m)
	case "tui":
		if _, err := tea.NewProgram(&tui{}).Run(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(7)
	case "orphan":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), programVar+"=sleep")
		child.Stdout = os.Stdout
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := child.Start(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("orphan of", child.Process.Pid)
		time.Sleep(time.Minute)
	case "sleep":
		time.Sleep(4 * time.Second)
	}
}

// tui shows the size, the background, a styled word and the keys it gets.
type tui struct {
	width, height int
	dark          string
	keys          []string
	count         int
}

type slowly struct{}

func (m *tui) Init() tea.Cmd { return tea.RequestBackgroundColor }

func (m *tui) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		m.dark = map[bool]string{true: "dark", false: "light"}[msg.IsDark()]
	case tea.MouseClickMsg:
		m.keys = append(m.keys, fmt.Sprintf("click %d,%d", msg.X, msg.Y))
	case tea.MouseWheelMsg:
		m.keys = append(m.keys, "wheel")
	case tea.PasteMsg:
		m.keys = append(m.keys, "paste "+msg.Content)
	case slowly:
		m.count++
	case tea.KeyPressMsg:
		switch msg.String() {
		case "q":
			return m, tea.Quit
		case "S":
			return m, tea.Tick(150*time.Millisecond, func(time.Time) tea.Msg { return slowly{} })
		case "C":
			m.keys = nil
		default:
			m.keys = append(m.keys, msg.String())
		}
	}
	return m, nil
}

func (m *tui) View() tea.View {
	word := lipgloss.NewStyle().Foreground(lipgloss.Color("#ff8700")).Bold(true).Render("styled")
	v := tea.NewView(fmt.Sprintf("size %dx%d\n%s\n%s count %d\nkeys [%s]", m.width, m.height, m.dark, word, m.count, strings.Join(m.keys, "|")))
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "a test"
	return v
}

// run starts one of the programs above.
func run(t *testing.T, program string, o Options) *Driver {
	t.Helper()
	o.Path = os.Args[0]
	o.Env = append(o.Env, programVar+"="+program)
	return Start(t, o)
}

// shell starts a shell script.
func shell(t *testing.T, script string, o Options) *Driver {
	t.Helper()
	o.Path, o.Args = "/bin/sh", []string{"-c", script}
	return Start(t, o)
}
