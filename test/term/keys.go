package term

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// named are the keys that have a name, as an xterm sends them. "csi esc" is Esc as the
// kitty protocol has it: no key after it can be taken with it, however late the
// program reads.
var named = map[string]string{
	"enter": "\r", "return": "\r", "tab": "\t", "shift+tab": "\x1b[Z",
	"esc": "\x1b", "escape": "\x1b", "csi esc": "\x1b[27u", "space": " ", "backspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
	"home": "\x1b[H", "end": "\x1b[F", "pgup": "\x1b[5~", "pgdown": "\x1b[6~", "pgdn": "\x1b[6~",
	"insert": "\x1b[2~", "delete": "\x1b[3~",
	"shift+up": "\x1b[1;2A", "shift+down": "\x1b[1;2B", "shift+right": "\x1b[1;2C", "shift+left": "\x1b[1;2D",
	"ctrl+up": "\x1b[1;5A", "ctrl+down": "\x1b[1;5B", "ctrl+right": "\x1b[1;5C", "ctrl+left": "\x1b[1;5D",
	"alt+up": "\x1b[1;3A", "alt+down": "\x1b[1;3B", "alt+right": "\x1b[1;3C", "alt+left": "\x1b[1;3D",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS",
	"f5": "\x1b[15~", "f6": "\x1b[17~", "f7": "\x1b[18~", "f8": "\x1b[19~",
	"f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
	"ctrl+space": "\x00", "ctrl+\\": "\x1c", "ctrl+]": "\x1d", "ctrl+^": "\x1e", "ctrl+_": "\x1f",
}

// encode returns the bytes of a key: a name of the table above, one character,
// "ctrl+" and a letter, or "alt+" and a key.
func encode(key string) (string, error) {
	if seq, ok := named[key]; ok {
		return seq, nil
	}
	if utf8.RuneCountInString(key) == 1 {
		return key, nil
	}
	if letter, ok := strings.CutPrefix(key, "ctrl+"); ok && len(letter) == 1 {
		if c := letter[0] | 0x20; c >= 'a' && c <= 'z' {
			return string(rune(c - 'a' + 1)), nil
		}
	}
	if rest, ok := strings.CutPrefix(key, "alt+"); ok {
		seq, err := encode(rest)
		if err == nil && !strings.HasPrefix(seq, "\x1b") {
			return "\x1b" + seq, nil
		}
	}
	return "", fmt.Errorf("unknown key %q: a character, ctrl+letter, alt+key or one of %s", key, strings.Join(Keys(), " "))
}

// Keys lists the names Press knows, sorted.
func Keys() []string {
	var out []string
	for name := range named {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Mouse buttons of Click.
const (
	MouseLeft      = 0
	MouseMiddle    = 1
	MouseRight     = 2
	MouseWheelUp   = 64
	MouseWheelDown = 65
)

// mouse returns the press of a button at a cell, from 0, and its release. A
// wheel has no release.
func mouse(button, x, y int) string {
	press := fmt.Sprintf("\x1b[<%d;%d;%dM", button, x+1, y+1)
	if button >= MouseWheelUp {
		return press
	}
	return press + fmt.Sprintf("\x1b[<%d;%d;%dm", button, x+1, y+1)
}
