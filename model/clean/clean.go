package clean

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text replaces control characters, bidi controls, line and paragraph
// separators and invalid UTF-8 with U+FFFD, so that no string can move the
// cursor, recolour the screen or read differently from how it is stored.
// A clean string is returned as it is, without allocation.
func Text(s string) string {
	for i, r := range s {
		if bad(r) || (r == utf8.RuneError && invalidAt(s, i)) {
			return strings.Map(replace, s)
		}
	}
	return s
}

// Block is Text for text of several lines: newlines and tabs stay.
func Block(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return replace(r)
	}, s)
}

// Is says whether Text would return s as it is.
func Is(s string) bool {
	for i, r := range s {
		if bad(r) || (r == utf8.RuneError && invalidAt(s, i)) {
			return false
		}
	}
	return true
}

func invalidAt(s string, i int) bool {
	_, n := utf8.DecodeRuneInString(s[i:])
	return n == 1
}

func replace(r rune) rune {
	if bad(r) {
		return utf8.RuneError
	}
	return r
}

func bad(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, // bidi embeddings, overrides, isolates
		r == 0x200e, r == 0x200f, r == 0x061c, // bidi marks
		r == 0x2028, r == 0x2029, r == 0xfeff:
		return true
	}
	return unicode.Is(unicode.Co, r)
}
