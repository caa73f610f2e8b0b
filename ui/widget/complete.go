package widget

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"rung/model/words"
)

// mostTexts bounds the rows searched for a word, since every key of a filter searches.
const mostTexts = 200

// CompleteWord returns the first longer word of the rows with that beginning, empty if none; visible rows go
// first.
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

// CompleteWord returns the first longer word of the text with that beginning, empty if none.
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

// LastWord returns the word characters at the end of a text.
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

// wordFrom returns a longer word of a text with that beginning, empty if none.
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

// inWord reports whether a character belongs to a name. None of them is special in regular expressions except
// the dot, which matches itself.
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("._:/-", r)
}

// cleanTyped makes typed or pasted text fit for one line of at most most characters. Line breaks and tabs
// become spaces. Invisible characters are removed, since nobody could see what the line then searches for:
// control characters, text direction, zero width. Joiners and variation selectors stay if they combine
// characters into one sign.
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

// longest bounds the bytes of a paste to read for each resulting character.
const longest = 16

// visibleRunes returns the visible runes of a letter that is width cells wide.
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

// runeLen returns the bytes of the first character, also if it is not UTF-8.
func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// isJoiner reports whether a character joins its neighbours into one sign or selects their variant.
func isJoiner(r rune) bool { return r == '\u200d' || r >= '\ufe00' && r <= '\ufe0f' }
