package widget

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"rung/model/clean"
)

// typed makes text that was typed or pasted fit for one line of at most so many
// characters. Line breaks and tabs become spaces; what cannot be seen is left out, since
// nobody could see what the line then looks for: control characters, those that turn
// text round, those without width. Joiners and variation selectors stay where they make
// one sign of several.
func typed(s string, most int) string {
	s = s[:min(len(s), longest*maxInput)]
	var b strings.Builder
	for n := 0; s != "" && n < most; {
		if c := s[0]; c >= ' ' && c < 0x7f && (len(s) == 1 || s[1] < utf8.RuneSelf) {
			b.WriteByte(c)
			s = s[1:]
			n++
			continue
		}
		letter, width := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		if letter == "" {
			break
		}
		s = s[len(letter):]
		letter = seen(letter, width)
		if n += utf8.RuneCountInString(letter); n <= most { // a letter is not cut in two
			b.WriteString(letter)
		}
	}
	return b.String()
}

// longest bounds how much of a paste is looked at, in bytes for each character that may
// come of it.
const longest = 16

// seen is what of a letter is seen when it is drawn in so many cells.
func seen(letter string, width int) string {
	switch letter {
	case "\n", "\r", "\r\n", "\t", "\v", "\f", "\u0085", "\u2028", "\u2029":
		return " "
	}
	if clean.Is(letter) {
		return letter
	}
	var b strings.Builder
	sign := width == 2 && strings.ContainsFunc(letter, func(r rune) bool { return r >= utf8.RuneSelf && !joins(r) })
	for i, r := range letter {
		if clean.Is(letter[i:i+runeLen(letter[i:])]) || sign && joins(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// runeLen is how many bytes the first character has, one that is no UTF-8 too.
func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// joins says whether a character makes one sign of its neighbours or chooses how it is
// drawn.
func joins(r rune) bool { return r == '\u200d' || r >= '\ufe00' && r <= '\ufe0f' }
