//go:build unix

package shot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/test/term"
)

// keep writes the pictures of the tests into a folder, for a person to look at.
var keep = flag.String("keep", "", "folder to write the pictures to")

const sheet = `printf '\033[?25l'
printf ' rung  demo · 3 zones \033[32m●●●\033[m  \033[1mSANDBOX writes\033[m   findings \033[33m▲1\033[m \033[31m●3\033[m\r\n'
printf '┌──┬──┐ ┏━━┳━━┓ ╭──╮ ┄┄┈┈╌╌ ┊ ┆ ╎  ▁▂▃▄▅▆▇█ ▏▎▍▌▋▊▉█ ░▒▓\r\n'
printf '│  ├──┤ ┃  ┣━━┫ │  │ ═══╗      ┊  ▀▐▔▕  ⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏\r\n'
printf '└──┴──┘ ┗━━┻━━┛ ╰──╯ ║  ╚══    ┊\r\n'
printf '▲△▼▽ ▶◀▸▾▷ ◆◇ ■□▪▣ ●○◐◑•◌∅ ✗✓ ⏎↳⋮⋯⚠  ≠≈≥≤→←↑↓‹›«»…×·–—§¶Δ±†‡\r\n'
printf '\033[7m selected  34 cluster-control \033[m \033[1mbold\033[m \033[3mitalic\033[m \033[1;3mboth\033[m \033[2mfaint\033[m \033[4munder line\033[m \033[9mstruck\033[m\r\n'
for i in 0 1 2 3 4 5 6 7; do printf "\033[3${i}mc$i \033[9${i}mC$i \033[4${i}m  \033[10${i}m  \033[m "; done; printf '\r\n'
printf '\033[38;5;208m256\033[m \033[38;2;255;0;128mtrue\033[m \033[48;2;0;90;160m on blue \033[m 日本 <&> "q"'
sleep 30`

func sheetFrame(t *testing.T, light bool) *term.Frame {
	t.Helper()
	d := term.Start(t, term.Options{Path: "/bin/sh", Args: []string{"-c", sheet}, Width: 84, Height: 9, Light: light})
	d.WaitFor(`"q"`)
	return d.Frame()
}

func TestPictures(t *testing.T) {
	for name, light := range map[string]bool{"dark": false, "light": true} {
		t.Run(name, func(t *testing.T) {
			f := sheetFrame(t, light)
			svg := SVG(f)
			pic, err := PNG(f)
			if err != nil {
				t.Fatal(err)
			}
			if *keep != "" {
				for ext, data := range map[string][]byte{"svg": svg, "png": pic} {
					if err := os.WriteFile(filepath.Join(*keep, name+"."+ext), data, 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			if !bytes.Equal(svg, SVG(f)) {
				t.Error("the same frame gives another SVG")
			}
			if !light { // the PNG is slow to draw under the race detector: once is enough
				if again, err := PNG(f); err != nil || !bytes.Equal(pic, again) {
					t.Errorf("the same frame gives another PNG (%v)", err)
				}
			}

			text := textOf(t, svg)
			for _, want := range []string{"SANDBOX writes", "selected", "cluster-control", "<&>", "日", "≠"} {
				if !strings.Contains(text, want) {
					t.Errorf("the SVG lacks %q", want)
				}
			}
			img, err := png.Decode(bytes.NewReader(pic))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := img.Bounds().Size(), image.Pt((84*9+24)*2, (9*18+24)*2); got != want {
				t.Errorf("size %v, want %v", got, want)
			}
			checkPixels(t, f, img)
		})
	}
}

// textOf reads the SVG as XML and returns its text.
func textOf(t *testing.T, svg []byte) string {
	t.Helper()
	var text strings.Builder
	dec := xml.NewDecoder(bytes.NewReader(svg))
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		if err != nil {
			t.Fatalf("the SVG is not XML: %v", err)
		}
		if data, ok := tok.(xml.CharData); ok {
			text.Write(data)
		}
	}
}

// checkPixels looks at places whose colour is known.
func checkPixels(t *testing.T, f *term.Frame, img image.Image) {
	t.Helper()
	p := onDark
	if f.Light {
		p = onLight
	}
	fg, bg := opaque(f.Foreground), opaque(f.Background)
	at := func(text string, dx, dy float64) color.RGBA {
		x, y, ok := f.Find(text)
		if !ok {
			t.Fatalf("%q is not on the screen", text)
		}
		return opaque(img.At(int((padding+(float64(x)+dx)*9)*pngScale), int((padding+(float64(y)+dy)*18)*pngScale)))
	}
	for _, c := range []struct {
		what   string
		text   string
		dx, dy float64
		want   color.RGBA
	}{
		{"margin of a cell", "rung", 0.5, 0.05, bg},
		{"green disc", "●●●", 0.5, 0.5, p[2]},
		{"yellow triangle", "▲1", 0.5, 0.5, p[3]},
		{"lines join across cells", "──┬", 0.999, 0.5, fg},
		{"lines join down", "├──┤", 0.5, 0.99, fg},
		{"inside a box", "│  ├", 1.5, 0.5, bg},
		{"full block", "█ ▏", 0.5, 0.5, fg},
		{"one eighth from below", "▁▂▃", 0.5, 0.97, fg},
		{"above one eighth", "▁▂▃", 0.5, 0.8, bg},
		{"half a shade", "▒▓", 0.5, 0.5, mix(bg, fg, 0.5)},
		{"reverse", " selected", 0.2, 0.05, fg},
		{"basic background", "c1 C1", 6.5, 0.5, p[1]},
		{"bright background", "c1 C1", 8.5, 0.5, p[9]},
		{"true colour background", " on blue", 0.5, 0.1, color.RGBA{0, 90, 160, 255}},
		{"hollow circle", "○", 0.5, 0.5, bg},
		{"half circle, full side", "◐", 0.3, 0.5, fg},
		{"half circle, empty side", "◐", 0.65, 0.5, bg},
		{"underlined", "under line", 5.5, 0.88, fg},
	} {
		if got := at(c.text, c.dx, c.dy); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, hex(got), hex(c.want))
		}
	}
}

func TestMissing(t *testing.T) {
	f := sheetFrame(t, false)
	if diff := cmp.Diff([]rune("日本"), Missing(f)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Every sign of the screens can be drawn.
func TestSignsOfTheScreens(t *testing.T) {
	const signs = "─━│┌┐└┘├┤┬┴┼┊╭╮╯╰●○◐◑▲▼◆≠✗✓→←↑↓‹›⏎…·×−–▁▂▃▄▅▆▇█▸▾•"
	for _, r := range signs {
		if _, ok := size(1).shapes(r); !ok && missing(r) {
			t.Errorf("%c cannot be drawn", r)
		}
	}
}
