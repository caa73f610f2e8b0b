package ui_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

// look is a way in which pages are drawn, with what its frames must be free of.
type look struct {
	profile colorprofile.Profile
	config  ui.Config
	not     *regexp.Regexp
}

var (
	setsColour  = regexp.MustCompile(`\x1b\[(?:\d+;)*(?:[34]8;|[39][0-7]|4[0-7]|10[0-7])[\d;]*m`)
	beyondASCII = regexp.MustCompile(`[^\x00-\x7f]`)
)

// looks are the ways there are: dark and light, without colours, and in ASCII.
var looks = map[string]look{
	"dark":     {profile: colorprofile.TrueColor, config: ui.Config{Theme: "dark"}},
	"light":    {profile: colorprofile.TrueColor, config: ui.Config{Theme: "light"}},
	"no-color": {profile: colorprofile.ASCII, config: ui.Config{Theme: "dark"}, not: setsColour},
	"ascii":    {profile: colorprofile.TrueColor, config: ui.Config{Theme: "dark", ASCII: true}, not: beyondASCII},
}

// The pages that are opened most, in every look at four sizes.
func TestLooks(t *testing.T) {
	pages := demoPages()
	for _, page := range []nav.PageKind{nav.Ladder, nav.Policy, nav.Zones, nav.Findings, nav.Matrix, nav.Trace} {
		for name, l := range looks {
			base := "look-" + string(page) + "-" + name
			t.Run(base, func(t *testing.T) {
				s := uitest.OpenWith(t, uitest.NewGated(t, nil).Fake, ui.Options{Page: pages[string(page)], Config: l.config})
				s.GoldenIn(l.profile, base, [][2]int{{80, 24}, {100, 30}, {120, 34}, {200, 60}}...)
			})
		}
	}
}

// What the look of a golden rules out is not in it: a colour without colours, a sign in ASCII.
func TestLooksKeepTheirPromise(t *testing.T) {
	if dark, err := os.ReadFile("testdata/look-ladder-dark-80x24.ansi.golden"); err != nil || !setsColour.Match(dark) || !beyondASCII.Match(dark) {
		t.Errorf("the look that has colours and signs has none: %v", err)
	}
	for _, f := range goldens(t, true) {
		for name, l := range looks {
			if !strings.Contains(f, "look-") || !strings.Contains(f, "-"+name+"-") || l.not == nil {
				continue
			}
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(b)) {
				if found := l.not.FindString(line); found != "" {
					t.Errorf("%s: %q in %q", f, found, line)
				}
			}
		}
	}
}
