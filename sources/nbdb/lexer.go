package nbdb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// maxDepth limits nesting; OVSDB needs about ten levels.
const maxDepth = 64

// Lexer reads one JSON text whose structure the caller expects. The first deviation sets the error. After it
// every method returns zero values and calls no callback, so only End has to be checked.
type Lexer struct {
	b     []byte
	i     int
	depth int
	err   error
}

// NewLexer returns a Lexer at the beginning of b, which must not change.
func NewLexer(b []byte) *Lexer { return &Lexer{b: b} }

// End returns the first error, or an error if text is left.
func (l *Lexer) End() error {
	if l.Peek() != 0 {
		l.Fail("the end")
	}
	return l.err
}

// Fail records that something else was expected here.
func (l *Lexer) Fail(expected string) {
	if l.err == nil {
		at := l.b[min(l.i, len(l.b)):min(l.i+20, len(l.b))]
		l.err = fmt.Errorf("byte %d: expected %s, found %q", l.i, expected, at)
	}
}

// Peek returns the next byte that is not white space, 0 at the end or after an error.
func (l *Lexer) Peek() byte {
	if l.err != nil {
		return 0
	}
	for ; l.i < len(l.b); l.i++ {
		switch c := l.b[l.i]; c {
		case ' ', '\t', '\r', '\n':
		case 0:
			l.Fail("JSON")
			return 0
		default:
			return c
		}
	}
	return 0
}

func (l *Lexer) skipByte(c byte) bool {
	if l.Peek() != c {
		return false
	}
	l.i++
	return true
}

func (l *Lexer) expectByte(c byte) {
	if !l.skipByte(c) {
		l.Fail(strconv.QuoteRune(rune(c)))
	}
}

// String reads a string. The result is a view unless it had escapes.
func (l *Lexer) String() []byte {
	l.expectByte('"')
	if l.err != nil {
		return nil
	}
	start, escapes := l.i, false
	for ; l.i < len(l.b); l.i++ {
		switch l.b[l.i] {
		case '\\':
			escapes = true
			l.i++
		case '"':
			s := l.b[start:l.i]
			l.i++
			if !escapes {
				return s
			}
			var u string
			if err := json.Unmarshal(l.b[start-1:l.i], &u); err != nil {
				l.Fail("a string")
				return nil
			}
			return []byte(u)
		}
	}
	l.Fail(`'"'`)
	return nil
}

// Null reads a null if it is next.
func (l *Lexer) Null() bool { return l.skipLiteral("null") }

func (l *Lexer) skipLiteral(s string) bool {
	if l.Peek() != s[0] || len(l.b)-l.i < len(s) || string(l.b[l.i:l.i+len(s)]) != s {
		return false
	}
	l.i += len(s)
	return true
}

// Bool reads a boolean.
func (l *Lexer) Bool() bool {
	if l.skipLiteral("true") {
		return true
	}
	if !l.skipLiteral("false") {
		l.Fail("a boolean")
	}
	return false
}

func (l *Lexer) readNumber() []byte {
	l.Peek()
	start := l.i
	for l.err == nil && l.i < len(l.b) {
		switch c := l.b[l.i]; {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			l.i++
			continue
		}
		break
	}
	if start == l.i {
		l.Fail("a number")
	}
	return l.b[start:l.i]
}

// Int reads an integer.
func (l *Lexer) Int() int {
	n := l.readNumber()
	if l.err != nil {
		return 0
	}
	v, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil {
		// Some servers write whole numbers as 1.0 or 1e3.
		f, ferr := strconv.ParseFloat(string(n), 64)
		if ferr != nil || errors.Is(err, strconv.ErrRange) || f != float64(int64(f)) {
			l.i -= len(n)
			l.Fail("an integer")
			return 0
		}
		v = int64(f)
	}
	return int(v)
}

// Object reads an object; member must read each member's value.
func (l *Lexer) Object(member func(key []byte)) {
	l.readList('{', '}', func() {
		k := l.String()
		l.expectByte(':')
		if l.err == nil {
			member(k)
		}
	})
}

// Array reads an array; element must read each element.
func (l *Lexer) Array(element func()) { l.readList('[', ']', element) }

// readList reads what is between two brackets, separated by commas.
func (l *Lexer) readList(open, end byte, element func()) {
	l.expectByte(open)
	l.depth++
	if l.depth > maxDepth {
		l.Fail(fmt.Sprintf("at most %d levels", maxDepth))
	}
	for first := true; l.err == nil && !l.skipByte(end); first = false {
		if !first {
			l.expectByte(',')
		}
		if l.err == nil {
			element()
		}
	}
	l.depth--
}

// Skip reads any value and drops it.
func (l *Lexer) Skip() {
	switch c := l.Peek(); {
	case c == '{':
		l.Object(func([]byte) { l.Skip() })
	case c == '[':
		l.Array(l.Skip)
	case c == '"':
		l.String()
	case c == 't', c == 'f':
		l.Bool()
	case c == 'n' && l.Null():
	default:
		l.readNumber()
	}
}

// Raw reads any value and returns its bytes, a view.
func (l *Lexer) Raw() []byte {
	l.Peek()
	start := l.i
	l.Skip()
	if l.err != nil {
		return nil
	}
	return l.b[start:l.i]
}

// Span is Raw for a value to be read later. It only matches the brackets of an object or array, which is much
// faster, and checks nothing between them.
func (l *Lexer) Span() []byte {
	if c := l.Peek(); c != '{' && c != '[' {
		return l.Raw()
	}
	n := l.spanLength()
	if n == 0 {
		l.Fail("the end of an object or array")
		return nil
	}
	raw := l.b[l.i : l.i+n]
	l.i += n
	return raw
}

// spanLength returns the length of the object or array that begins here, 0 if it has no end.
func (l *Lexer) spanLength() int {
	b, depth := l.b[l.i:], 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			n := stringEnd(b[i+1:])
			if n < 0 {
				return 0
			}
			i += n + 1
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// stringEnd returns the index of the quote that ends a string, given the bytes after its opening quote;
// negative if it does not end.
func stringEnd(b []byte) int {
	for from := 0; ; {
		n := bytes.IndexByte(b[from:], '"')
		if n < 0 {
			return -1
		}
		end := from + n
		escapes := 0
		for end-1-escapes >= from && b[end-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end
		}
		from = end + 1
	}
}
