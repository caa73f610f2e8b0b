package ui_test

import (
	"bytes"
	"context"
	"errors"
	"image/color"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"go.uber.org/goleak"

	"rung/change/gate"
	"rung/model"
	"rung/revision"
	"rung/test/uitest"
	"rung/test/wait"
	"rung/themes"
	"rung/ui"
	"rung/ui/nav"
)

// TestMain fails when a goroutine is left over.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

func ladderScreen(t *testing.T) *uitest.Screen {
	t.Helper()
	return uitest.OpenScreen(t, uitest.DemoFacts(t), nav.NewPage(nav.Ladder))
}

func TestFirstFrameWaitsForNothing(t *testing.T) {
	s := uitest.OpenScreen(t, &revision.Facts{Mode: revision.Mode{Title: "demo", Sandbox: true}, At: uitest.Now}, nav.NewPage(nav.Ladder))
	s.Want("rung", "demo", "0 zones", "READ-ONLY", "Ladder", "starting", "tier 1 · AdminNetworkPolicy · lower number decides first · still reading", "NetworkPolicy ?", "tier 3", "findings ?", "? help")
	s.WantNot("100 free")
	s.Golden("empty")
	s.ResizeAll()
}

func TestPalette(t *testing.T) {
	s := ladderScreen(t)
	s.Press(":")
	s.Want("command", "new here", "make policies from a template")
	s.Golden("palette")
	s.ResizeAll()
	s.Type("zones")
	s.Press("enter")
	s.Want("policies by zone", "Ladder › zones")
	s.Press("ctrl+p")
	s.Type("theme mono")
	s.Press("enter")
	s.Press(":", "up")
	s.Want("theme mono")
	s.Press("esc")
	// What cannot be done now says why and stays.
	s.Press("esc", ":")
	s.Type("undo")
	s.Want("not now: nothing to undo")
	s.Press("enter")
	s.Want("not now: nothing to undo")
	s.Press("esc")
	s.WantNot("not now")
	s.Press(":")
	s.Type("zzzzqq")
	s.Want("no match · esc closes")
	s.Press("enter", "down", "up", "esc")
}

func TestHelp(t *testing.T) {
	s := ladderScreen(t)
	s.Press("?")
	s.Want("keys on this page", "ladder", "create a policy in the gap")
	s.Golden("help")
	s.ResizeAll()
	s.Type("unfold every")
	s.Want("unfold every gap")
	s.WantNot("write a new policy")
	s.Press("enter")
	s.Want("┊ free", "  29")
	s.Press("?", "?")
	s.WantNot("keys on this page")
	s.Press("?")
	s.Type("nothing does this")
	s.Want("no matching key, column or sign")
	s.Press("enter", "esc")
}

func TestFilterLine(t *testing.T) {
	s := ladderScreen(t)
	s.Press("/")
	s.Type("tenant")
	s.Want("/tenant", "filter: tenant  5 of 32 match")
	s.WantNot("quarantine", "30 free")
	s.Press("enter")
	s.Want("filter: tenant", "n new here")
	s.Press("3")
	s.Press("esc") // back from the zones
	s.Want("filter: tenant")
	s.Press("/", "ctrl+u")
	s.Type("!tenant")
	s.Press("enter")
	s.Want("quarantine")
	s.WantNot("blue-tenant")
	s.Press("/", "ctrl+u")
	s.Type("-f qrn")
	s.Press("enter")
	s.Want("quarantine")
	s.Press("/", "ctrl+u")
	s.Type("[")
	s.Want("missing closing ]", "taken literally", "old-form")
	s.Press("enter", "esc")
	s.Want("11 lines", "30 free")
}

func TestBackKeepsTheLine(t *testing.T) {
	s := ladderScreen(t)
	for s.Line("▸") == "" || !strings.Contains(s.Line("▸"), "quarantine") {
		s.Press("j")
	}
	s.Press("3", "5", "1")
	if !strings.Contains(s.Line("▸"), "quarantine") {
		t.Errorf("the cursor is on %q", s.Line("▸"))
	}
	s.Press("alt+right")
	s.Want("Ladder › zones")
	s.Press("alt+right")
	s.Want("Ladder › zones › activity")
	s.Press("esc", "esc", "esc")
	s.Want("nothing to go back to")
}

// Esc twice in quick succession reaches the program as alt+esc.
func TestEscTwice(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.DemoFacts(t), nav.NewPage(nav.Ladder))
	s.Press("3", "4", "alt+esc")
	s.WantNot("› ")
}

// What is changed in a sandbox is not said to be real.
func TestSandboxIsAskedAsOne(t *testing.T) {
	p := uitest.DemoFacts(t)
	p.Mode.Writes = false
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Press("W")
	s.Want("Allow changes", "Changes stay", "in the sandbox and end with Rung", "[ n stay read-only ]")
	s.WantNot("are real")
}

func TestWritesAndConfirm(t *testing.T) {
	s := ladderScreen(t)
	s.Press("W")
	s.Want("read-only: changes are not allowed")
	if got := s.Console.Calls; len(got) != 1 || got[0] != "writes off" {
		t.Errorf("calls: %v", got)
	}

	p := uitest.DemoFacts(t)
	p.Mode.Writes, p.Mode.WhyNot, p.Mode.Sandbox, p.Mode.Title = false, "", false, "prod-eu"
	p.Mode.Reconciles, p.Mode.Name = false, revision.ClusterMode
	s = uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Want("READ-ONLY  W to allow changes")
	s.Press("n")
	s.Want("new here: read-only")
	s.Press("W")
	s.Want("Allow changes", "policies of prod-eu", "[ n stay read-only ]")
	s.Golden("confirm")
	s.ResizeAll()
	s.Press("enter") // No is chosen
	s.WantNot("Allow changes")
	if len(s.Console.Calls) != 0 {
		t.Errorf("No changed something: %v", s.Console.Calls)
	}
	s.Press("W", "tab", "enter")
	if got := s.Console.Calls; len(got) != 1 || got[0] != "writes on" {
		t.Errorf("calls: %v", got)
	}
	s.Console.WritesErr = errors.New("changes stay off: started with --readonly")
	s.Press("W", "y")
	s.Want("■ changes stay off: started with --readonly")

	p.Mode.WhyNot = "started with --readonly"
	s = uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.WantNot("W to allow")
	s.Press("D")
	s.Want("delete: started with --readonly")
}

func TestCopyAndSave(t *testing.T) {
	p := uitest.DemoFacts(t)
	s := uitest.OpenWith(t, uitest.NewFake(p), ui.Options{StateDir: t.TempDir()})
	s.Press("y")
	s.Want("copy", "name", "kubectl command", "YAML", "ovn-nbctl command")
	s.Golden("copy")
	s.Press("n")
	s.Want("copied name through the terminal")

	dir := t.TempDir()
	s = uitest.OpenWith(t, uitest.NewFake(p), ui.Options{StateDir: dir})
	s.Press("ctrl+s")
	s.Want("saved to " + dir)
	files, err := filepath.Glob(filepath.Join(dir, "saved", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("saved files: %v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil || !strings.Contains(string(text), "cluster-control") ||
		!strings.Contains(string(text), "multi-tenant-isolation  ns: tenant in (blue,green,red,yellow)") || bytes.Contains(text, []byte{0x1b}) {
		t.Errorf("saved: %v\n%s", err, text)
	}
	if info, _ := os.Stat(files[0]); info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v", info.Mode())
	}
}

func TestMouse(t *testing.T) {
	s := ladderScreen(t)
	y := 0
	for i, l := range strings.Split(s.PlainFrame(), "\n") {
		if strings.Contains(l, "quarantine ") {
			y = i
		}
	}
	s.Send(tea.MouseClickMsg{X: 10, Y: y, Button: tea.MouseLeft})
	if !strings.Contains(s.Line("▸"), "quarantine") {
		t.Errorf("a click puts the cursor on %q", s.Line("▸"))
	}
	s.Resize(120, 12)
	s.Send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	s.Send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	s.Send(tea.MouseClickMsg{X: 10, Y: 11, Button: tea.MouseLeft})
	s.Send(tea.MouseClickMsg{X: 500, Y: 500, Button: tea.MouseLeft})
	s.Press("M")
	s.Want("mouse off (select text freely)")
	off := false
	s = uitest.OpenWith(t, uitest.NewFake(uitest.DemoFacts(t)), ui.Options{Config: ui.Config{Mouse: &off}})
	s.Press("M")
	s.Want("mouse on: ")
}

func TestPaste(t *testing.T) {
	s := ladderScreen(t)
	s.Send(tea.PasteMsg{Content: "q\nq"})
	s.Want("no input line to paste into")
	s.Press("/")
	s.Send(tea.PasteMsg{Content: "quar\nantine"})
	s.Want("/quar antine")
	s.Press("esc", ":")
	s.Send(tea.PasteMsg{Content: "zones"})
	s.Press("enter")
	s.Want("Ladder › zones")
}

func TestSourceHealth(t *testing.T) {
	p := uitest.DemoFacts(t)
	p.Sources = []model.SourceState{{Name: "prod-eu", Conn: model.ConnLost, ReadAt: uitest.Now.Add(-12 * time.Minute)}}
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Resize(160, 30)
	s.Want("■ prod-eu lost, read 12m ago", "cluster-control")
}

func TestConfig(t *testing.T) {
	c := ui.Config{Theme: "pink", Color: "rainbow", Start: "moon", Keys: map[string][]string{"ladder.new": {"e"}, "x.y": {"z"}}}
	warn := c.CheckAll(themes.BuiltinThemes())
	if len(warn) != 5 {
		t.Errorf("%d warnings: %q", len(warn), warn)
	}
	s := uitest.OpenWith(t, uitest.NewFake(uitest.DemoFacts(t)), ui.Options{Config: c})
	s.Want("5 problems in the configuration", `no theme "pink"`)
	s = uitest.OpenWith(t, uitest.NewFake(uitest.DemoFacts(t)), ui.Options{Config: ui.Config{Start: "zones", ASCII: true, Theme: "mono"}})
	s.Want("policies by zone", "3 zones ***")
	s.Want("enter open")
	for _, r := range s.PlainFrame() {
		if r > 126 {
			t.Errorf("with ascii there is %q", r)
		}
	}
}

func TestThemes(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "night.yaml"), []byte("tokens: {title: \"#123456\", oops: red}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	set, warn := themes.LoadThemes(dir)
	if len(warn) != 1 {
		t.Errorf("warnings: %v", warn)
	}
	s := uitest.OpenWith(t, uitest.NewFake(uitest.DemoFacts(t)), ui.Options{Themes: set, Config: ui.Config{Theme: "night"}})
	if !strings.Contains(s.View(), "38;2;18;52;86m") {
		t.Error("the user's theme is not shown")
	}
	s = uitest.OpenWith(t, uitest.NewFake(uitest.DemoFacts(t)), ui.Options{Config: ui.Config{Theme: themes.Adaptive}})
	dark := s.View()
	s.Send(tea.BackgroundColorMsg{Color: color.White})
	if light := s.View(); light == dark || ansi.Strip(light) != ansi.Strip(dark) {
		t.Error("a light background changes more or less than the colours")
	}
}

// TestRandomKeys presses anything at random sizes: nothing may break.
func TestRandomKeys(t *testing.T) {
	t.Setenv("VISUAL", "true") // e opens it
	t.Setenv("EDITOR", "true")
	r := rand.New(rand.NewPCG(3, 4))
	keys := []string{"j", "k", "enter", "esc", "tab", "g", "G", "ctrl+d", "ctrl+u", "w", "<", ">", "S", "z", "space", "n", "m", "e",
		"L", "D", "l", "p", "y", "/", ":", "?", "1", "2", "3", "4", "5", "6", "W", "M", "U", "a", "b", "left", "right", "up", "down", "x",
		"backspace", "pgdown", "pgup", "ctrl+r", "t", "V", "i", "o", "[", "]", "f", "N", "c", "F", "A", "P", "Z", "R", "K", "h", "d", "v", "u", "ctrl+l"}
	p := uitest.DemoFacts(t)
	f := uitest.NewFake(p)
	f.OnCommit = func(*gate.Preview, gate.Confirm) (*gate.Result, error) {
		return nil, errors.New("refused by the test")
	}
	s := uitest.OpenWith(t, f, ui.Options{})
	for i := range 1500 {
		if i%10 == 0 {
			s.Resize(1+r.IntN(140), 1+r.IntN(45))
		}
		if i%97 == 0 {
			p.Number++
			s.Console.Set(p)
			s.Refresh()
		}
		s.Press(keys[r.IntN(len(keys))])
		s.WantFits()
		if t.Failed() {
			t.Fatalf("after %d keys", i)
		}
	}
}

// screen keeps what a console writes, and closes drawn once its first frame is there.
type screen struct {
	mu    sync.Mutex
	text  bytes.Buffer
	drawn chan struct{}
}

func newScreen() *screen { return &screen{drawn: make(chan struct{})} }

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := strings.Contains(s.text.String(), ansi.SetModeAltScreenSaveCursor)
	s.text.Write(b)
	if !before && strings.Contains(s.text.String(), ansi.SetModeAltScreenSaveCursor) {
		close(s.drawn)
	}
	return len(b), nil
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// program runs the real program on pipes and returns its output.
func program(t *testing.T, f *uitest.Fake, opt ui.Options, keys string) (string, error) {
	t.Helper()
	in, feed := io.Pipe()
	out := newScreen()
	opt.Stdin, opt.Stdout, opt.Environ = in, out, []string{"TERM=xterm-256color", "LANG=C.UTF-8"}
	if opt.StateDir == "" {
		opt.StateDir = t.TempDir()
	}
	go func() {
		<-out.drawn
		for _, k := range keys {
			time.Sleep(30 * time.Millisecond)
			if _, err := feed.Write([]byte(string(k))); err != nil {
				return
			}
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), wait.Patience)
	defer cancel()
	err := ui.Run(ctx, f, opt)
	if ctx.Err() != nil {
		t.Fatal("the program did not end")
	}
	feed.Close()
	return out.String(), err
}

func TestRunAndQuit(t *testing.T) {
	for _, keys := range []string{"jjq", "\x03", "3q" + "q"} {
		out, err := program(t, uitest.NewFake(uitest.DemoFacts(t)), ui.Options{}, keys)
		if err != nil {
			t.Errorf("%q: %v", keys, err)
		}
		if !strings.Contains(out, ansi.ResetModeAltScreenSaveCursor) {
			t.Errorf("%q: the terminal was not restored", keys)
		}
	}
}

// breaking is a console that fails outside every page, once it is told to.
type breaking struct {
	*uitest.Fake
	now *atomic.Bool
}

func (b breaking) Now() time.Time {
	if b.now.Load() {
		panic("broken on purpose")
	}
	return b.Fake.Now()
}

func TestInternalErrorLeavesTheTerminal(t *testing.T) {
	dir := t.TempDir()
	in, feed := io.Pipe()
	out := newScreen()
	var broken atomic.Bool
	go func() {
		<-out.drawn
		broken.Store(true)
		feed.Write([]byte("5"))
	}()
	defer feed.Close()
	ctx, cancel := context.WithTimeout(context.Background(), wait.Patience)
	defer cancel()
	err := ui.Run(ctx, breaking{uitest.NewFake(uitest.DemoFacts(t)), &broken}, ui.Options{Stdin: in, Stdout: out, StateDir: dir,
		Environ: []string{"TERM=xterm-256color"}})
	if err == nil || !strings.Contains(err.Error(), "broken on purpose") || !strings.Contains(err.Error(), dir) {
		t.Fatalf("the error is %v", err)
	}
	if !strings.Contains(out.String(), ansi.ResetModeAltScreenSaveCursor) {
		t.Error("the terminal was not restored")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "error-*.txt"))
	if len(files) != 1 {
		t.Fatalf("reports: %v", files)
	}
	text, _ := os.ReadFile(files[0])
	info, _ := os.Stat(files[0])
	if !strings.Contains(string(text), "model.go") || info.Mode().Perm() != 0o600 {
		t.Errorf("the report (%v):\n%s", info.Mode(), text)
	}
}
