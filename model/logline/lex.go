package logline

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word of an expression, as written.
type token struct {
	text         string
	offset       int  // of its first byte
	isUnfinished bool // a quote or regular expression is not closed
}

// splitWords splits an expression at white space outside of quotes and regular expressions.
func splitWords(text string) (out []token) {
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRuneInString(text[at:])
		if unicode.IsSpace(r) {
			at += n
			continue
		}
		end, open := wordEnd(text, at)
		out = append(out, token{text[at:end], at, open})
		at = end
	}
	return out
}

// wordEnd returns the end of the word that begins at an offset. open is true if a quote or regular expression
// in it is not closed.
func wordEnd(text string, at int) (end int, open bool) {
	begin := at
	if text[at] == '!' && at+1 < len(text) {
		begin++
	}
	if text[begin] == '/' {
		return regexEnd(text, begin)
	}
	_, _, field := splitField(text[begin:])
	quoted, may := false, true // may: a quote may begin here
	for i, r := range text[begin:] {
		switch {
		case quoted:
			if r == '"' && text[begin+i-1] != '\\' {
				quoted = false
				if !field { // "text" ends with its quote
					return begin + i + 1, false
				}
			}
		case r == '"' && may:
			quoted = true
		case unicode.IsSpace(r):
			return begin + i, false
		}
		may = field && (r == ':' || r == ',' || r == '>' || r == '→' || r == '=')
	}
	return len(text), quoted
}

// regexEnd returns the end of /regex/: a slash before white space or the end, since names of pods contain
// slashes.
func regexEnd(text string, at int) (end int, open bool) {
	for i := at + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '/':
			if r, _ := utf8.DecodeRuneInString(text[i+1:]); i+1 == len(text) || unicode.IsSpace(r) {
				return i + 1, false
			}
		}
	}
	return len(text), true
}

// splitField splits "field:value". A field has only letters, so an address or a time is not split.
func splitField(word string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(word, ":")
	if !ok || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return "", "", false
	}
	return name, value, true
}

// splitValue splits a value at a separator outside of quotes.
func splitValue(value, sep string) (out []string) {
	quoted, from := false, 0
	for i := 0; i < len(value); i++ {
		switch {
		case value[i] == '"' && (i == 0 || value[i-1] != '\\'):
			quoted = !quoted
		case !quoted && strings.HasPrefix(value[i:], sep):
			out = append(out, value[from:i])
			i += len(sep) - 1
			from = i + 1
		}
	}
	return append(out, value[from:])
}

// unquoteValue removes the quotes of a value or text.
func unquoteValue(s string) string {
	if !strings.HasPrefix(s, `"`) {
		return s
	}
	s = s[1:]
	if strings.HasSuffix(s, `"`) && !strings.HasSuffix(s, `\"`) {
		s = s[:len(s)-1]
	}
	return strings.ReplaceAll(s, `\"`, `"`)
}

// QuoteValue quotes a value or text for literal search.
func QuoteValue(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }
