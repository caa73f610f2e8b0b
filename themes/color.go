package themes

import (
	"fmt"
	"os"
	"strings"

	"github.com/charmbracelet/colorprofile"
)

// ColorModes are the values of --color.
var ColorModes = []string{"auto", "always", "never", "16", "256", "truecolor"}

// Profile is the colour profile for a --color mode; forced is false when the
// terminal should be asked. NO_COLOR (any non-empty value) turns colours off
// and keeps bold and reverse; TERM=dumb shows plain text. Both only count in
// mode auto. A nil getenv reads the process's environment.
func Profile(mode string, getenv func(string) string) (p colorprofile.Profile, forced bool, err error) {
	if getenv == nil {
		getenv = os.Getenv
	}
	switch strings.ToLower(mode) {
	case "", "auto":
		switch {
		case getenv("TERM") == "dumb":
			return colorprofile.NoTTY, true, nil
		case getenv("NO_COLOR") != "":
			return colorprofile.ASCII, true, nil
		}
		return colorprofile.Unknown, false, nil
	case "never":
		return colorprofile.ASCII, true, nil
	case "16":
		return colorprofile.ANSI, true, nil
	case "256":
		return colorprofile.ANSI256, true, nil
	case "always", "truecolor":
		return colorprofile.TrueColor, true, nil
	}
	return colorprofile.Unknown, false, fmt.Errorf("colour mode %q: want one of %s", mode, strings.Join(ColorModes, ", "))
}
