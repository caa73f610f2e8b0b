//go:build unix

package term

import (
	"errors"
	"image/color"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

func TestSizeKeysAndExit(t *testing.T) {
	t.Parallel()
	d := run(t, "tui", Options{Width: 60, Height: 10, Watch: []string{"size 60x10", "never there"}})
	d.WaitFor("size 60x10", "keys []")
	if got := d.Line(0); got != "size 60x10" {
		t.Errorf("line 0 is %q", got)
	}
	f := d.Frame()
	if !f.AltScreen || f.Title != "a test" {
		t.Errorf("alternate screen %v, title %q", f.AltScreen, f.Title)
	}
	if x, y, ok := f.Find("count"); !ok || x != 7 || y != 2 {
		t.Errorf("count found at %d,%d %v", x, y, ok)
	}
	d.Type("ab").WaitFor("keys [a|b]")
	d.Resize(33, 5).WaitFor("size 33x5")

	first := d.WaitSeen("size 60x10")
	if first <= 0 || first > 15*time.Second {
		t.Errorf("first frame after %s", first)
	}
	if _, ok := d.Seen("never there"); ok {
		t.Error("a text was seen that was never shown")
	}
	d.Press("q")
	d.WaitExit(7)
}

// Every key arrives under its name. What several names share arrives under
// one of them.
func TestKeys(t *testing.T) {
	t.Parallel()
	same := map[string]string{
		"return": "enter", "escape": "esc", "csi esc": "esc", "pgdn": "pgdown",
	}
	d := run(t, "tui", Options{Width: 80, Height: 8})
	d.WaitFor("keys []")
	keys := append(Keys(), "ctrl+p", "ctrl+a", "ctrl+z", "alt+x", "alt+enter", "G", "/", ":", "é", "⏎")
	for _, key := range keys {
		want := key
		if other, ok := same[key]; ok {
			want = other
		}
		d.Press(key).WaitFor("keys [" + want + "]")
		d.Press("C").WaitFor("keys []")
	}
	// An Esc does not swallow what follows.
	d.Press("csi esc", "x", "csi esc", "csi esc", "down").WaitFor("keys [esc|x|esc|esc|down]")
	d.Press("C").WaitFor("keys []")
	d.Click(MouseLeft, 3, 1).WaitFor("click 3,1")
	d.Click(MouseWheelDown, 3, 1).WaitFor("wheel")
	d.Paste("two\nlines").WaitFor("paste two")

	if err := d.Terminal.Press("hyper+x"); err == nil || !strings.Contains(err.Error(), `unknown key "hyper+x"`) {
		t.Errorf("an unknown key gives %v", err)
	}
}

func TestColours(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		profile Profile
		light   bool
		want    color.Color
	}{
		{TrueColor, false, color.RGBA{0xff, 0x87, 0x00, 0xff}},
		{TrueColor, true, color.RGBA{0xff, 0x87, 0x00, 0xff}},
		{ANSI256, false, ansi.IndexedColor(208)},
		{ANSI16, true, ansi.BasicColor(ansi.BrightRed)},
		{NoColor, false, nil},
	} {
		t.Run(c.profile.String(), func(t *testing.T) {
			t.Parallel()
			d := run(t, "tui", Options{Profile: c.profile, Light: c.light, Width: 40, Height: 6})
			d.WaitFor("styled", map[bool]string{false: "dark", true: "light"}[c.light])
			x, y, _ := d.Frame().Find("styled")
			cell := d.Cell(x, y)
			if cell.Content != "s" || !same(cell.Style.Fg, c.want) {
				t.Errorf("cell is %q in %v (%T), want %v", cell.Content, cell.Style.Fg, cell.Style.Fg, c.want)
			}
			if cell.Style.Attrs == 0 {
				t.Error("bold is lost")
			}
			if !strings.Contains(d.ScreenANSI(), ";1mstyled") && !strings.Contains(d.ScreenANSI(), "\x1b[1mstyled") {
				t.Errorf("no bold in the text with styles: %q", d.ScreenANSI())
			}
		})
	}
}

func same(a, b color.Color) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	ar, ag, ab, _ := a.RGBA()
	br, bg, bb, _ := b.RGBA()
	return ar == br && ag == bg && ab == bb
}

func TestLatency(t *testing.T) {
	t.Parallel()
	d := run(t, "tui", Options{})
	d.WaitFor("count 0")
	d.WaitStill(100 * time.Millisecond)
	if took := d.Latency("a"); took <= 0 || took > 5*time.Second {
		t.Errorf("a key took %s", took)
	}
	took, err := d.LatencyUntil("S", "counts", contains("count 1"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if took < 150*time.Millisecond || took > 5*time.Second {
		t.Errorf("a key that works 150 ms took %s", took)
	}
	if _, err := d.LatencyUntil("b", "counts", contains("count 1"), 0); err == nil {
		t.Error("measured a condition that held before")
	}
}

// A test that fails must show why.
func TestComplaints(t *testing.T) {
	t.Parallel()
	d := shell(t, `printf 'one\n\ntwo'; read x; exit 3`, Options{Width: 20, Height: 5})
	d.WaitFor("two")
	_, err := d.Terminal.WaitFor("three", 50*time.Millisecond)
	if !errors.Is(err, ErrTimeout) {
		t.Fatalf("waiting for what never comes: %v", err)
	}
	for _, want := range []string{`sh never shows "three" within 50ms`, "still running", "screen 20×5, cursor 3,2", "  0│one\n  1│\n  2│two\n", "2 empty rows"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the message lacks %q:\n%v", want, err)
		}
	}
	if _, err := d.Terminal.Wait(50 * time.Millisecond); !errors.Is(err, ErrTimeout) {
		t.Errorf("waiting for the end: %v", err)
	}
	d.Press("enter")
	if _, err := d.Terminal.WaitFor("three", 0); !errors.Is(err, ErrEnded) || !strings.Contains(err.Error(), "ended with code 3") {
		t.Errorf("waiting after the end: %v", err)
	}
	d.WaitExit(3)
	if _, err := d.Terminal.WaitFor("two", 0); err != nil {
		t.Errorf("the last screen is gone: %v", err)
	}

	if _, err := Open(Options{Path: filepath.Join(t.TempDir(), "missing")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("starting nothing: %v", err)
	}
}

func TestSignals(t *testing.T) {
	t.Parallel()
	d := shell(t, `trap 'echo caught; exit 5' TERM; echo ready; while :; do sleep 0.05; done`, Options{})
	d.WaitFor("ready")
	if err := d.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	d.WaitFor("caught")
	d.WaitExit(5)

	d = shell(t, `echo ready; sleep 60`, Options{})
	d.WaitFor("ready")
	if err := d.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	d.WaitExit(128 + int(syscall.SIGKILL))
}

// Close returns although a stopped program, one that ignores SIGTERM, or a
// child that left the session is in the way.
func TestCloseIsFinal(t *testing.T) {
	t.Parallel()
	d := shell(t, `trap '' TERM; echo ready; while :; do sleep 1; done`, Options{})
	d.WaitFor("ready")
	if err := d.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	orphan := run(t, "orphan", Options{})
	orphan.WaitFor("orphan of")
	for _, d := range []*Driver{d, orphan} {
		begin, home := time.Now(), d.Home()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took > killAfter+3*time.Second {
			t.Errorf("closing took %s", took)
		}
		if err := syscall.Kill(d.Pid(), 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d: %v", d.Pid(), err)
		}
		if _, err := os.Stat(home); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("home folder %s: %v", home, err)
		}
	}
	// The orphan ends by itself; wait, so that it does not outlive the tests.
	time.Sleep(time.Second)
}

// The program gets a clean house of its own.
func TestEnvironment(t *testing.T) {
	t.Setenv("KUBECONFIG", "/somewhere/real")
	t.Setenv("NO_COLOR", "1")
	d := shell(t, `echo "k=[$KUBECONFIG] n=[$NO_COLOR] l=$LANG z=$TZ x=$X"; echo "home $HOME"; test -d "$XDG_RUNTIME_DIR" && echo runtime; echo last`,
		Options{Env: []string{"X=1", "X=2", "TZ=CET"}})
	d.WaitFor("last")
	if got, want := d.Screen(), "k=[] n=[] l=C.UTF-8 z=CET x=2\nhome "+d.Home()+"\nruntime\nlast"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Nothing breaks however the window is pulled about, down to one cell.
func TestRandomSizes(t *testing.T) {
	t.Parallel()
	d := run(t, "tui", Options{})
	d.WaitFor("keys []")
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		d.Resize(1+rnd.IntN(200), 1+rnd.IntN(60)).Press("x")
		time.Sleep(time.Duration(rnd.IntN(6)) * time.Millisecond)
	}
	d.Resize(1, 1).WaitUntil("is one cell", func(f *Frame) bool { return f.Width == 1 && f.Height == 1 })
	d.Resize(90, 12).WaitFor("size 90x12")
	if err := d.Terminal.Resize(0, 3); err == nil {
		t.Error("a terminal without width was made")
	}
}
