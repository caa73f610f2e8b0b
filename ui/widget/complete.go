package widget

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostTexts bounds how many texts are looked through for a word: it is done with every
// key of a filter.
const mostTexts = 200

// Complete is the first word of the rows that begins so and goes on, empty for none;
// rows that are shown go before the others.
func (t *Table[T]) Complete(begin string) string {
	word := func(it T) string {
		if t.fixed(it) {
			return ""
		}
		return wordFrom(t.text(it), begin)
	}
	for _, i := range t.shown[:min(len(t.shown), mostTexts)] {
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

// Complete is the first word of the text that begins so and goes on, empty for none.
func (t *Text) Complete(begin string) string {
	for n, line := range t.plain {
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
