package command

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
	"github.com/charmbracelet/colorprofile"

	"rung/model/words"
	"rung/themes"
)

// look is how text for people is written: whether to fit tables to the terminal, and the styles.
type look struct {
	fits    bool
	styles  *themes.StyleSet // nil without colours
	profile colorprofile.Profile
}

// setLook sets the look of Out from the flags, and from the configuration once it is read.
func (a *App) setLook(file fileSettings) error {
	ui, terminal := &a.Flags.UI, IsTerminal(a.Raw)
	profile, err := themes.OutputProfile(cmp.Or(ui.Color, file.Color), terminal, os.Environ())
	if err != nil {
		return err
	}
	how := look{profile: profile, fits: terminal && a.Flags.Output != "wide"}
	if profile > colorprofile.ASCII {
		set, _ := themes.LoadThemes(filepath.Join(xdg.ConfigHome, "rung", "themes")) // the console reports invalid themes
		how.styles = set.StylesOf(cmp.Or(ui.Theme, file.Theme), true)
	}
	a.look.Store(&how)
	return nil
}

// finishText turns marks in a text into styles and makes it printable. A nil app, used for standard error, has
// no styles.
func (a *App) finishText(text []byte) []byte {
	if !bytes.Contains(text, []byte(markStart)) {
		return words.CleanJSON(text)
	}
	how, width := &look{}, 0
	if a != nil {
		how = cmp.Or(a.look.Load(), how)
	}
	if how.fits {
		width = TerminalWidth(a.Raw)
	}
	cleaned := func(s string) string { return string(words.CleanJSON([]byte(s))) }
	end := ""
	out := replaceMarks(FitText(string(text), width), cleaned, func(n int) string {
		before := end
		switch {
		case n == cellMark || how.styles == nil:
			return ""
		case n == noLook:
			end = ""
			return before
		}
		open, after, _ := strings.Cut(how.styles.StyleOf(themes.Tokens[n-looks]).Render("x"), "x")
		end = after
		return before + open
	})
	if how.styles == nil || how.profile == colorprofile.TrueColor {
		return []byte(out)
	}
	var b bytes.Buffer
	w := colorprofile.Writer{Forward: &b, Profile: how.profile}
	_, _ = w.WriteString(out) // into memory
	return b.Bytes()
}
