package term

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// draw makes a screen and writes on it. Nothing reads the emulator's answers, so
// the text must not ask anything.
func draw(w, h int, text string) *screen {
	s := newScreen(Options{Width: w, Height: h})
	s.feed([]byte(text), time.Unix(1, 0))
	return s
}

func TestFrameText(t *testing.T) {
	for _, c := range []struct {
		name, in, text string
	}{
		{"empty", "", ""},
		{"lines", "one\r\n\r\n  three  ", "one\n\n  three"},
		{"wide characters take two cells", "日本x", "日本x"},
		{"marks", "├─ ▲ ● ✗ ≠ ┊", "├─ ▲ ● ✗ ≠ ┊"},
		{"repeat character", "-\x1b[4b|", "-----|"},
		{"insert mode", "one two\x1b[1;5H\x1b[4hmore \x1b[4l", "one more two"},
		{"clear", "gone\x1b[2J\x1b[Hhere", "here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.text, draw(20, 4, c.in).frame().Text()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestFrameCells(t *testing.T) {
	f := draw(10, 2, "日b\x1b[31mred\x1b[m").frame()
	if c := f.Cell(0, 0); c.Content != "日" || c.Width != 2 {
		t.Errorf("cell 0,0 is %+v", c)
	}
	if c := f.Cell(2, 0); c.Content != "b" || c.Style.Fg != nil {
		t.Errorf("cell 2,0 is %+v", c)
	}
	if c := f.Cell(3, 0); c.Content != "r" || c.Style.Fg == nil {
		t.Errorf("cell 3,0 is %+v", c)
	}
	for _, p := range [][2]int{{-1, 0}, {0, -1}, {10, 0}, {0, 2}} {
		if c := f.Cell(p[0], p[1]); c != (Cell{}) {
			t.Errorf("cell %v outside is %+v", p, c)
		}
	}
	if x, y, ok := f.Find("bred"); !ok || x != 2 || y != 0 {
		t.Errorf("found at %d,%d %v", x, y, ok)
	}
	if x, y, ok := f.Find("日b"); !ok || x != 0 || y != 0 {
		t.Errorf("found at %d,%d %v", x, y, ok)
	}
	if _, _, ok := f.Find("absent"); ok {
		t.Error("found what is not there")
	}
	if got, want := f.ANSI(), "日b\x1b[31mred\x1b[m"; got != want {
		t.Errorf("with styles %q, want %q", got, want)
	}
	if f.Line(7) != "" {
		t.Error("a line outside is not empty")
	}
}

// A frame stays as it was when the screen goes on.
func TestFrameIsACopy(t *testing.T) {
	s := draw(10, 1, "before")
	f := s.frame()
	s.feed([]byte("\rafter!"), time.Unix(2, 0))
	if f.Text() != "before" || s.frame().Text() != "after!" {
		t.Errorf("frames %q and %q", f.Text(), s.frame().Text())
	}
	if f.Same(s.frame()) || !f.Same(f) || f.Same(nil) {
		t.Error("Same is wrong about text")
	}
	plain, red := draw(5, 1, "x").frame(), draw(5, 1, "\x1b[31mx").frame()
	if plain.Same(red) {
		t.Error("Same is wrong about styles")
	}
}

// Inside a synchronised update nothing is judged; at its end once, also when the
// next one begins in the same write.
func TestSynchronisedUpdates(t *testing.T) {
	s := draw(20, 1, "old")
	torn := s.wait(contains("torn"))
	whole := s.wait(contains("whole"))
	s.feed([]byte("\x1b[?2026h\rtorn"), time.Unix(2, 0))
	s.feed([]byte("\rwhole"), time.Unix(3, 0))
	if isDone(torn) || isDone(whole) {
		t.Fatal("a frame that is not complete was judged")
	}
	if got := s.frame().Line(0); got != "old" {
		t.Errorf("inside an update the screen is %q, not what was there before", got)
	}
	if w := s.wait(contains("whole")); isDone(w) {
		t.Fatal("a condition was judged inside an update")
	}
	s.feed([]byte("\x1b[?2026l\x1b[?2026h\x1b[2K\rnext"), time.Unix(4, 0))
	if isDone(torn) || !isDone(whole) {
		t.Fatal("the complete frame was not judged")
	}
	if !whole.at.Equal(time.Unix(4, 0)) {
		t.Errorf("complete at %s", whole.at)
	}
	s.forget(torn)
	s.feed([]byte("\x1b[?2026l\rtorn"), time.Unix(5, 0))
	if isDone(torn) {
		t.Error("a forgotten condition was judged")
	}
}

func isDone(w *waiter) bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// Insert mode comes in pieces as well, and text beside it is not held back.
func TestInsertModeInPieces(t *testing.T) {
	const in = "ab\x1b[1;2H\x1b[4hx日\x1b[4lc"
	for cut := range len(in) {
		s := draw(20, 2, in[:cut])
		s.feed([]byte(in[cut:]), time.Unix(2, 0))
		if got := s.frame().Text(); got != "ax日c" {
			t.Errorf("cut after %q: %q", in[:cut], got)
		}
	}
}

func TestClipboard(t *testing.T) {
	s := draw(20, 2, "\x1b]52;c;Y29waWVk\x07")
	if got := s.frame().Clipboard; got != "copied" {
		t.Errorf("the clipboard has %q", got)
	}
	s.feed([]byte("\x1b]52;c;?\x07\x1b]52;c;%%\x07\x1b]52\x07"), time.Unix(2, 0))
	if got := s.frame().Clipboard; got != "copied" {
		t.Errorf("a question or nonsense puts %q there", got)
	}
}

// A window that has shrunk gets what was drawn for its former size.
func TestScrollRegionBeyondTheScreen(t *testing.T) {
	s := draw(20, 6, "one\r\ntwo")
	s.feed([]byte("\x1b[2;53r\x1b[53;1H\x1b[3S\x1b[r\x1b[1;1Hok"), time.Unix(2, 0))
	if err := s.failed(); err != nil {
		t.Fatal(err)
	}
	if got := s.frame().Line(0); !strings.HasPrefix(got, "ok") {
		t.Errorf("the first line is %q", got)
	}
}
