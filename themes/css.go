package themes

import (
	"fmt"
	"image/color"
	"strings"
)

// CSSVariables returns the colours of the built-in themes as the inside of a CSS declaration block: --TOKEN
// for a token's text and --TOKEN-bg for its background, if any. A page follows its reader's dark or light
// screen, so it takes no theme of the configuration.
func CSSVariables(dark bool) string {
	t := builtin["light"]
	if dark {
		t = builtin["dark"]
	}
	var b strings.Builder
	for _, token := range Tokens {
		l := t.resolveToken(token, dark)
		add := func(name string, c color.Color) {
			if c != nil {
				r, g, blue, _ := c.RGBA()
				fmt.Fprintf(&b, "--%s:#%02x%02x%02x;", name, r>>8, g>>8, blue>>8)
			}
		}
		add(string(token), l.fg)
		add(string(token)+"-bg", l.bg)
	}
	return b.String()
}
