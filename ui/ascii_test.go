package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rung/model"
	"rung/test/uitest"
	"rung/themes"
	"rung/ui"
	"rung/ui/config"
	"rung/ui/nav"
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
	var files []string
	for _, p := range []string{"testdata/*.golden", "*/testdata/*.golden"} {
		found, err := filepath.Glob(p)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 300 {
		t.Fatalf("only %d goldens", len(files))
	}
	seen := map[string]bool{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Map(func(r rune) rune {
			if r >= 0x2800 && r <= 0x28ff {
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
	control := model.Key{Kind: model.KindANP, Name: "cluster-control"}
	worker := "ovn-worker"
	pages := map[string]nav.Page{}
	for _, k := range nav.Kinds {
		pages[string(k)] = nav.PageOf(k)
	}
	pages["policy"] = nav.ToPolicy(control)
	pages["rule"] = nav.ToRule(control, model.Egress, 4)
	pages["pod"] = nav.ToPod(model.Key{Kind: model.KindPod, Namespace: "blue", Name: "api-d0"})
	pages["row"] = nav.ToRow(worker, "ACL", uitest.UUID("x"))
	pages["rows"] = nav.Page{Kind: nav.Rows, Zone: worker}
	pages["controller"] = nav.Page{Kind: nav.Controller, Key: control, Zone: worker}
	pages["trace"] = nav.ToTrace("blue/api-d0 red/web-f0 TCP 8080")
	pages["trace to nowhere"] = nav.ToTrace("blue/api-d0 - TCP -")
	delete(pages, string(nav.Edit))    // opens an editor; its goldens are looked at
	delete(pages, string(nav.Preview)) // of a change
	for name, page := range pages {
		t.Run(name, func(t *testing.T) {
			s := uitest.OpenWith(t, uitest.NewGated(t, nil).Fake, ui.Options{Page: page, Config: config.Config{ASCII: true}})
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
