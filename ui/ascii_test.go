package ui_test

import (
	"os"
	"strings"
	"testing"

	"rung/test/install"
	"rung/test/uitest"
	"rung/themes"
	"rung/ui"
)

// notASCII is the first line with a character that is none of ASCII's, and the character.
func notASCII(text string) (line, sign string) {
	for line := range strings.Lines(text) {
		for _, r := range line {
			if r > '~' {
				return line, string(r)
			}
		}
	}
	return "", ""
}

// Every scene of every page that has a golden is ASCII with --ascii: its names are.
func TestASCIIGoldens(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range goldens(t, false) {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Map(func(r rune) rune {
			if isSpinner(r) {
				return '|' // what turns is another sign with --ascii: TestASCII looks
			}
			return r
		}, string(b))
		if line, sign := notASCII(themes.ASCII(text)); sign != "" && !seen[sign] {
			seen[sign] = true
			t.Errorf("%s: %q (%U) in %q", f, sign, []rune(sign)[0], line)
		}
	}
}

// Every page, dialog and line being typed is ASCII with --ascii, and says "enter" where
// there is no sign for it.
func TestASCII(t *testing.T) {
	install.WithoutRace(t)
	for name, page := range demoPages() {
		t.Run(name, func(t *testing.T) {
			s := uitest.OpenWith(t, uitest.NewGated(t, nil).Fake, ui.Options{Page: page, Config: ui.Config{ASCII: true}})
			look := func(what string) {
				t.Helper()
				for _, size := range [][2]int{{120, 34}, {80, 24}, {40, 10}} {
					s.Resize(size[0], size[1])
					s.WantFits()
					if line, sign := notASCII(s.PlainFrame()); sign != "" {
						t.Errorf("%s: %q in %q", what, sign, line)
					}
				}
			}
			look("page")
			for _, keys := range [][]string{{"?"}, {":"}, {":", "z", "z", "q"}, {"/", "x"}, {"y"}, {"W"}, {"L"}, {"D"}, {"D", "a"}, {"D", "a", "x", "enter"}, {"m"}, {"F"}, {"d"}, {"h"}, {"tab"}, {"A"}, {"P"},
				{"j", "j", "m", "4", "2", "enter"}, {"g", "/", "c", "o", "n", "t", "r", "o", "l", "enter", "D"}, {":", "p", "o", "d"}, {":", "n", "o", "p", "e", "enter"}, {"U"}, {"R"}, {"f"}, {"l"}, {"V"}, {"K"}, {"s"}, {">"}, {"w"}, {"v"}} {
				s.Press(keys...)
				look(strings.Join(keys, " "))
				s.Press("esc", "esc", "esc")
			}
		})
	}
}
