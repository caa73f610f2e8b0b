package words

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// CleanText replaces everything invisible with U+FFFD: control characters, bidi and other format controls,
// zero-width characters, variation selectors, tags, line and paragraph separators and invalid UTF-8. So no
// string can move the cursor, recolour the screen or look different from its content. It returns a clean
// string unchanged, without allocation.
func CleanText(s string) string {
	if IsClean(s) {
		return s
	}
	return strings.Map(replaceRune, s)
}

// CleanBlock is CleanText for several lines: newlines and tabs stay.
func CleanBlock(s string) string {
	if needsNoReplacing(s, true) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return replaceRune(r)
	}, s)
}

// IsClean reports whether CleanText would return s unchanged.
func IsClean(s string) bool { return needsNoReplacing(s, false) }

// needsNoReplacing reports whether a text is clean; with block it may have newlines and tabs.
func needsNoReplacing(s string, block bool) bool {
	for i := 0; i < len(s); {
		if n := plainLength(s, i); n > 0 {
			i += n
			continue
		}
		if c := s[i]; c < utf8.RuneSelf {
			if (c < 0x20 || c == 0x7f) && (!block || c != '\n' && c != '\t') {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || isBadRune(r) {
			return false
		}
		i += n
	}
	return true
}

// Escape is CleanBlock for text that people copy or inspect: it writes replaced characters as YAML and Go do,
// "\u202e". Text that a machine reads back must not be escaped.
func Escape(s string) string {
	if needsNoReplacing(s, true) {
		return s
	}
	b := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b = fmt.Appendf(b, `\x%02x`, s[i])
		case r == '\n' || r == '\t' || !isBadRune(r):
			b = append(b, s[i:i+n]...)
		case r < 0x80:
			b = fmt.Appendf(b, `\x%02x`, r)
		case r < 0x10000:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = fmt.Appendf(b, `\U%08x`, r)
		}
		i += n
	}
	return string(b)
}

// CleanJSON escapes invisible characters of a JSON text, which keeps its meaning. Bytes that are not UTF-8
// become U+FFFD.
func CleanJSON(b []byte) []byte {
	if needsNoReplacing(string(b), true) {
		return b
	}
	out := make([]byte, 0, len(b)+16)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			out = utf8.AppendRune(out, r)
		case r == '\n' || r == '\t' || !isBadRune(r):
			out = append(out, b[i:i+n]...)
		default:
			for _, unit := range utf16.AppendRune(nil, r) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		}
		i += n
	}
	return out
}

// CleanFrame drops all characters from a terminal frame that are neither visible nor set a colour. It is the
// last check: text was cleaned before it was measured. The dropped characters have no width, so no line moves.
func CleanFrame(s string) string {
	at := firstTrouble(s, 0)
	if at < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for at >= 0 {
		b = append(b, s[:at]...)
		_, n := utf8.DecodeRuneInString(s[at:])
		s = s[at+n:]
		at = firstTrouble(s, 0)
	}
	return string(append(b, s...))
}

// firstTrouble returns the index of the first character that must not be in a frame, or -1.
func firstTrouble(s string, i int) int {
	for i < len(s) {
		if n := plainLength(s, i); n > 0 {
			i += n
			continue
		}
		c := s[i]
		switch {
		case c >= 0x20 && c < 0x7f || c == '\n':
			i++
		case c == 0x1b:
			n := colourLength(s[i:])
			if n == 0 {
				return i
			}
			i += n
		case c < utf8.RuneSelf:
			return i
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 || isBadRune(r) {
				return i
			}
			i += n
		}
	}
	return -1
}

// plainLength returns the length of plain text from i on: visible ASCII, eight bytes at a time, then Rung's
// lines and signs. 0 means that the text must be examined.
func plainLength(s string, i int) int {
	from := i
	for i+8 <= len(s) {
		x := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		const ones, high = 0x0101010101010101, 0x8080808080808080
		// A byte above 0x7e or below 0x20 sets the high bit of one of the three terms, or its neighbour's:
		// then it is examined alone.
		if (x|(x+ones)|(x-ones*0x20))&high != 0 {
			break
		}
		i += 8
	}
	for i+3 <= len(s) && s[i] == 0xe2 && s[i+1] >= 0x94 && s[i+1] <= 0xaf && s[i+2]&0xc0 == 0x80 { // U+2500 to U+2BFF
		i += 3
	}
	return i - from
}

// colourLength returns the length of a sequence that sets the look of text (SGR), or 0 for any other.
func colourLength(s string) int {
	if len(s) < 3 || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c < '0' || c > ';':
			return 0
		}
	}
	return 0
}

func replaceRune(r rune) rune {
	return Choose(isBadRune(r), utf8.RuneError, r)
}

// isBadRune reports whether a character is invisible, or changes how others look.
func isBadRune(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r < 0x300:
		return r == 0xad // soft hyphen
	case r >= 0x2190 && r < 0x2c00, r >= 0x3400 && r < 0xd800: // arrows, lines, blocks, signs; ideographs and Hangul
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r) // visible Arabic signs around numbers
}

// CleanLine folds a message onto one line and cleans it.
func CleanLine(s string) string {
	return CleanText(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; "))
}

// login matches the user and password of a URL in a text, up to the @ before its host.
var login = regexp.MustCompile(`://[^/\s?#"'<>]*@`)

// WithoutLogins removes user and password from the URLs in a text.
func WithoutLogins(s string) string {
	if !strings.Contains(s, "://") || !strings.Contains(s, "@") {
		return s
	}
	return login.ReplaceAllString(s, "://")
}
