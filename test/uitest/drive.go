package uitest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"rung/revision"
	"rung/themes"
	"rung/ui"
	"rung/ui/nav"
)

// Update is set by -update: files with what is expected are written instead of compared with.
var Update = flag.Bool("update", false, "write the golden files")

// Screen is a console under test: the real root model with a Fake behind it.
type Screen struct {
	t       testing.TB
	Console *Fake
	model   tea.Model
	w, h    int
}

// OpenScreen shows a page of the parts at 120×34.
func OpenScreen(t testing.TB, p *revision.Facts, page nav.Page) *Screen {
	t.Helper()
	return OpenWith(t, NewFake(p), ui.Options{Page: page})
}

// OpenWith is OpenScreen with a console and options of the test's own.
func OpenWith(t testing.TB, f *Fake, opt ui.Options) *Screen {
	t.Helper()
	if opt.StateDir == "" {
		opt.StateDir = t.TempDir()
	}
	if opt.Themes == nil {
		opt.Themes = themes.BuiltinThemes()
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	s := &Screen{t: t, Console: f, model: ui.NewInline(ctx, f, opt)}
	s.Resize(120, 34)
	return s
}

// Send feeds a message to the model.
func (s *Screen) Send(msg tea.Msg) {
	s.t.Helper()
	s.model, _ = s.model.Update(msg)
	s.View() // every message is followed by a frame, as in the program
}

// Resize changes the size of the terminal.
func (s *Screen) Resize(w, h int) {
	s.t.Helper()
	s.w, s.h = w, h
	s.Send(tea.WindowSizeMsg{Width: w, Height: h})
}

// keys are the names of keys that are no letters.
var keys = map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace,
	"backspace": tea.KeyBackspace, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd, "delete": tea.KeyDelete}

// Press presses keys by their names: "j", "G", "enter", "ctrl+d".
func (s *Screen) Press(names ...string) {
	s.t.Helper()
	for _, name := range names {
		key := tea.Key{}
		rest := name
		for mod, bit := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
			if r, ok := strings.CutPrefix(rest, mod); ok && r != "" {
				key.Mod |= bit
				rest = r
			}
		}
		if code, ok := keys[rest]; ok {
			key.Code = code
			if code == tea.KeySpace {
				key.Text = " "
			}
		} else {
			key.Code = []rune(rest)[0]
			if key.Mod == 0 {
				key.Text = rest
			}
		}
		s.Send(tea.KeyPressMsg(key))
	}
}

// Type types text letter by letter.
func (s *Screen) Type(text string) {
	s.t.Helper()
	for _, r := range text {
		if r == ' ' {
			s.Press("space")
		} else {
			s.Press(string(r))
		}
	}
}

// Refresh shows the console's newest revision.
func (s *Screen) Refresh() {
	s.t.Helper()
	s.Send(ui.RefreshMessage(s.model))
}

// Quits says whether the console has ended the program.
func (s *Screen) Quits() bool { return ui.HasQuit(s.model) }

// View is the frame with its colours.
func (s *Screen) View() string {
	s.t.Helper()
	return s.model.View().Content
}

// PlainFrame is the frame as plain text without spaces at the ends of lines.
func (s *Screen) PlainFrame() string {
	s.t.Helper()
	return plainFrame(s.View())
}

func plainFrame(frame string) string {
	lines := strings.Split(ansi.Strip(frame), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// Line is the first line of the frame that contains the text, empty for none.
func (s *Screen) Line(text string) string {
	s.t.Helper()
	for _, l := range strings.Split(s.PlainFrame(), "\n") {
		if strings.Contains(l, text) {
			return l
		}
	}
	return ""
}

// Want fails the test when the frame lacks one of the texts.
func (s *Screen) Want(texts ...string) {
	s.t.Helper()
	frame := s.PlainFrame()
	for _, x := range texts {
		if !strings.Contains(frame, x) {
			s.t.Errorf("the screen lacks %q:\n%s", x, frame)
		}
	}
}

// WantNot fails the test when the frame has one of the texts.
func (s *Screen) WantNot(texts ...string) {
	s.t.Helper()
	frame := s.PlainFrame()
	for _, x := range texts {
		if strings.Contains(frame, x) {
			s.t.Errorf("the screen has %q:\n%s", x, frame)
		}
	}
}

// Sizes are the sizes of golden frames.
var Sizes = [][2]int{{80, 24}, {120, 34}, {200, 60}}

// Golden compares the frame at every size, plain and coloured, with
// testdata/<name>-<w>x<h>.golden and .ansi.golden, and holds every line to the
// width. At none of the Widths may it cut a name. The size it had comes back. more are sizes besides Sizes.
func (s *Screen) Golden(name string, more ...[2]int) {
	s.t.Helper()
	s.GoldenAt(name, append(slices.Clone(Sizes), more...)...)
}

// GoldenAt is Golden at sizes of the test's own.
func (s *Screen) GoldenAt(name string, sizes ...[2]int) {
	s.t.Helper()
	w, h := s.w, s.h
	for _, size := range sizes {
		s.Resize(size[0], size[1])
		s.WantFits()
		base := fmt.Sprintf("%s-%dx%d", name, size[0], size[1])
		s.compareGolden(base+".golden", s.PlainFrame())
		s.compareGolden(base+".ansi.golden", s.View()+"\n")
	}
	s.wantWhole(name)
	s.Resize(w, h)
}

// GoldenPlain compares the frame at the sizes given, without its colours, with
// testdata/<name>-<w>x<h>.golden.
func (s *Screen) GoldenPlain(name string, sizes ...[2]int) {
	s.t.Helper()
	w, h := s.w, s.h
	for _, size := range sizes {
		s.Resize(size[0], size[1])
		s.WantFits()
		s.compareGolden(fmt.Sprintf("%s-%dx%d.golden", name, size[0], size[1]), s.PlainFrame())
	}
	s.wantWhole(name)
	s.Resize(w, h)
}

// GoldenIn compares the frame as a terminal of a colour profile gets it, at the sizes given, with
// testdata/<name>-<w>x<h>.ansi.golden.
func (s *Screen) GoldenIn(profile colorprofile.Profile, name string, sizes ...[2]int) {
	s.t.Helper()
	w, h := s.w, s.h
	for _, size := range sizes {
		s.Resize(size[0], size[1])
		s.WantFits()
		var b bytes.Buffer
		terminal := colorprofile.Writer{Forward: &b, Profile: profile}
		if _, err := terminal.WriteString(s.View() + "\n"); err != nil {
			s.t.Fatal(err)
		}
		s.compareGolden(fmt.Sprintf("%s-%dx%d.ansi.golden", name, size[0], size[1]), b.String())
	}
	s.Resize(w, h)
}

func (s *Screen) compareGolden(file, got string) {
	s.t.Helper()
	CompareGolden(s.t, filepath.Join("testdata", file), got)
}

// CompareGolden compares a text with that of a golden file, or with -update writes it.
func CompareGolden(t testing.TB, path, got string) {
	t.Helper()
	if *Update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("no golden file, go test -update writes it: %v", err)
		return
	}
	if diff := lineDiff(string(want), got); diff != "" {
		t.Errorf("%s differs, go test -update accepts it:\n%s", filepath.Base(path), diff)
	}
}

// lineDiff lists the first lines that differ, escape sequences quoted.
func lineDiff(want, got string) string {
	const most = 8
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	var b strings.Builder
	n := 0
	for i := range max(len(w), len(g)) {
		x, y := "(no line)", "(no line)"
		if i < len(w) {
			x = w[i]
		}
		if i < len(g) {
			y = g[i]
		}
		if x == y {
			continue
		}
		n++
		if n > most {
			continue
		}
		if strings.ContainsRune(x+y, '\x1b') {
			x, y = strconv.Quote(x), strconv.Quote(y)
		}
		fmt.Fprintf(&b, "line %d\n  want %s\n  got  %s\n", i+1, x, y)
	}
	if n > most {
		fmt.Fprintf(&b, "and %d lines more\n", n-most)
	}
	return b.String()
}

// WantFits fails the test when the frame is not exactly as high as the terminal or
// a line is wider.
func (s *Screen) WantFits() {
	s.t.Helper()
	lines := strings.Split(s.View(), "\n")
	if len(lines) != s.h {
		s.t.Errorf("at %d×%d the frame has %d lines:\n%s", s.w, s.h, len(lines), s.PlainFrame())
	}
	for i, l := range lines {
		if n := ansi.StringWidth(l); n > s.w {
			s.t.Errorf("at %d×%d line %d is %d wide: %q", s.w, s.h, i, n, ansi.Strip(l))
		}
	}
}

// ResizeAll draws the page at many sizes, 1×1 included, and checks each.
func (s *Screen) ResizeAll() {
	s.t.Helper()
	w, h := s.w, s.h
	for _, size := range [][2]int{{1, 1}, {2, 1}, {1, 5}, {10, 3}, {24, 8}, {25, 9}, {39, 9}, {40, 10}, {59, 15}, {80, 5},
		{80, 24}, {99, 24}, {131, 12}, {200, 60}, {300, 2}, {20, 100}} {
		s.Resize(size[0], size[1])
		s.WantFits()
	}
	s.Resize(w, h)
}

// TextBeforeCursor returns the text before the terminal's cursor in its line; ok is false without a
// cursor.
func (s *Screen) TextBeforeCursor() (before string, ok bool) {
	s.t.Helper()
	c := s.model.View().Cursor
	if c == nil {
		return "", false
	}
	lines := strings.Split(s.View(), "\n")
	if c.X < 0 || c.X >= s.w || c.Y < 0 || c.Y >= len(lines) || c.Y >= s.h {
		s.t.Fatalf("the cursor is at %d,%d, outside of %d×%d", c.X, c.Y, s.w, s.h)
	}
	return ansi.Strip(ansi.Truncate(lines[c.Y], c.X, "")), true
}
