package widget

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"rung/model/words"
)

// mostTexts bounds how many texts are looked through for a word: it is done with every
// key of a filter.
const mostTexts = 200

// CompleteWord is the first word of the rows that begins so and goes on, empty for none;
// rows that are shown go before the others.
func (t *Table[T]) CompleteWord(begin string) string {
	word := func(it T) string {
		if t.isFixed(it) {
			return ""
		}
		return wordFrom(t.filterText(it), begin)
	}
	for _, i := range t.shownItems[:min(len(t.shownItems), mostTexts)] {
		if w := word(t.items[i]); w != "" {
			return w
		}
	}
	for _, it := range t.items[:min(len(t.items), mostTexts)] {
		if w := word(it); w != "" {
			return w
		}
	}
	return ""
}

// CompleteWord is the first word of the text that begins so and goes on, empty for none.
func (t *TextView) CompleteWord(begin string) string {
	for n, line := range t.plainLines {
		if n == 10*mostTexts {
			break
		}
		if w := wordFrom(line, begin); w != "" {
			return w
		}
	}
	return ""
}

// LastWord is the end of a text that may be the beginning of a word.
func LastWord(text string) string {
	for at := len(text); at > 0; {
		r, n := utf8.DecodeLastRuneInString(text[:at])
		if !inWord(r) {
			return text[at:]
		}
		at -= n
	}
	return text
}

// wordFrom is a word of a text that begins so and goes on, empty for none.
func wordFrom(text, begin string) string {
	for at := 0; begin != ""; {
		i := strings.Index(text[at:], begin)
		if i < 0 {
			return ""
		}
		from := at + i
		at = from + len(begin)
		if r, _ := utf8.DecodeLastRuneInString(text[:from]); from > 0 && inWord(r) {
			continue
		}
		end := len(text)
		if n := strings.IndexFunc(text[at:], func(r rune) bool { return !inWord(r) }); n >= 0 {
			end = at + n
		}
		if w := strings.TrimRight(text[from:end], "._:/-"); len(w) > len(begin) && !strings.HasPrefix(text[end:], Ellipsis) {
			return w
		}
	}
	return ""
}

// inWord says whether a character belongs to a name: none of them changes what a regular
// expression looks for, but the dot, which finds itself.
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("._:/-", r)
}

// cleanTyped makes text that was typed or pasted fit for one line of at most so many
// characters. Line breaks and tabs become spaces; what cannot be seen is left out, since
// nobody could see what the line then looks for: control characters, those that turn
// text round, those without width. Joiners and variation selectors stay where they make
// one sign of several.
func cleanTyped(s string, most int) string {
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
		letter = visibleRunes(letter, width)
		n += utf8.RuneCountInString(letter)
		if n <= most { // a letter is not cut in two
			b.WriteString(letter)
		}
	}
	return b.String()
}

// longest bounds how much of a paste is looked at, in bytes for each character that may
// come of it.
const longest = 16

// visibleRunes returns the runes of a letter that are visible when it is drawn in so many cells.
func visibleRunes(letter string, width int) string {
	switch letter {
	case "\n", "\r", "\r\n", "\t", "\v", "\f", "\u0085", "\u2028", "\u2029":
		return " "
	}
	if words.IsClean(letter) {
		return letter
	}
	var b strings.Builder
	sign := width == 2 && strings.ContainsFunc(letter, func(r rune) bool { return r >= utf8.RuneSelf && !isJoiner(r) })
	for i, r := range letter {
		if words.IsClean(letter[i:i+runeLen(letter[i:])]) || sign && isJoiner(r) {
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

// isJoiner says whether a character makes one sign of its neighbours or chooses how it is
// drawn.
func isJoiner(r rune) bool { return r == '\u200d' || r >= '\ufe00' && r <= '\ufe0f' }
