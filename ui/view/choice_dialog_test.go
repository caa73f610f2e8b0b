package view_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"rung/themes"
	"rung/ui/view"
)

// A choice that is too wide is cut; the others beside it are not, and carry no mark of a cut.
func TestOnlyWideChoicesAreCut(t *testing.T) {
	c := &view.ChoiceDialog{Items: []view.ChoiceItem{{Key: "a", Text: strings.Repeat("wide ", 20)}, {Key: "b", Text: "short"}}}
	_, lines := c.Draw(themes.BuiltinThemes().FindStyles(themes.Default, true), 40)
	if wide, short := ansi.Strip(lines[0]), ansi.Strip(lines[1]); !strings.Contains(wide, "…") || strings.Contains(short, "…") || !strings.Contains(short, "b  short") {
		t.Errorf("%q\n%q", wide, short)
	}
}
