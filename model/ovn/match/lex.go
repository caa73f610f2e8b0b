package match

import "strings"

type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokLParen
	tokRParen
	tokLBrace
	tokRBrace
	tokLBracket
	tokRBracket
	tokComma
	tokEllipsis
	tokAnd
	tokOr
	tokNot
	tokOp
	tokIdent
	tokConst
	tokBad
)

// singleTokens has the tokens of one character that begin no longer token.
var singleTokens = [256]tokenKind{'(': tokLParen, ')': tokRParen, '{': tokLBrace, '}': tokRBrace,
	'[': tokLBracket, ']': tokRBracket, ',': tokComma, '!': tokNot}

// token is one token and its place. op is set for tokOp, c for tokConst, want (the expected text) for tokBad.
type token struct {
	kind     tokenKind
	pos, end int
	op       Op
	c        Const
	want     string
}

// skipBlank returns the offset of the first token at or after pos. Comments count as white space, as in OVN.
func skipBlank(s string, pos int) (next int, ok bool) {
	for pos < len(s) {
		switch s[pos] {
		case ' ', '\t', '\n', '\r', '\v', '\f':
			pos++
			continue
		case '/':
		default:
			return pos, true
		}
		rest := s[pos:]
		switch {
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				return len(s), true
			}
			pos += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 || strings.IndexByte(rest[:end+2], '\n') >= 0 {
				return pos, false
			}
			pos += end + 4
		default:
			return pos, true
		}
	}
	return pos, true
}

// nextToken reads the token at or after pos.
func nextToken(s string, pos int) token {
	pos, ok := skipBlank(s, pos)
	t := token{pos: pos, end: pos}
	if !ok {
		return t.toBadToken("*/ on the same line")
	}
	if pos == len(s) {
		return t
	}
	rest := s[pos:]
	two := ""
	if len(rest) > 1 {
		two = rest[:2]
	}
	switch two {
	case "&&":
		return t.withKind(tokAnd, 2)
	case "||":
		return t.withKind(tokOr, 2)
	case "==":
		return t.asOperator(EQ, 2)
	case "!=":
		return t.asOperator(NE, 2)
	case "<=":
		return t.asOperator(LE, 2)
	case ">=":
		return t.asOperator(GE, 2)
	case "..":
		return t.withKind(tokEllipsis, 2)
	case "::":
		return lexNumber(t, s)
	}
	switch c := rest[0]; {
	case singleTokens[c] != 0:
		return t.withKind(singleTokens[c], 1)
	case c == '<':
		return t.asOperator(LT, 1)
	case c == '>':
		return t.asOperator(GT, 1)
	case c == '$', c == '@':
		return lexName(t, s)
	case c == '"':
		return lexString(t, s)
	case c >= '0' && c <= '9', startsAddress(rest):
		return lexNumber(t, s)
	case identStart(c) && c != '.':
		return t.withKind(tokIdent, identLen(rest))
	}
	if i := strings.IndexByte("=&|", rest[0]); i >= 0 {
		return t.toBadToken([...]string{"==", "&&", "||"}[i])
	}
	return t.toBadToken("a field, a constant, an operator or a parenthesis")
}

func (t token) withKind(k tokenKind, n int) token {
	t.kind, t.end = k, t.pos+n
	return t
}

func (t token) asOperator(o Op, n int) token {
	t.op = o
	return t.withKind(tokOp, n)
}

func (t token) toBadToken(want string) token {
	t.kind, t.want = tokBad, want
	return t
}

func identStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.'
}

// identLen returns the length of the identifier that s begins with.
func identLen(s string) int {
	n := 0
	for n < len(s) && (identStart(s[n]) || s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return n
}

// startsAddress reports whether s begins with an address, not an identifier: hexadecimal digits, then a colon.
func startsAddress(s string) bool {
	n := 0
	for n < len(s) && hexDigit(s[n]) <= 15 {
		n++
	}
	return n > 0 && n < len(s) && s[n] == ':'
}

// lexNumber reads a number or address with its mask.
func lexNumber(t token, s string) token {
	end := numberEnd(s, t.pos)
	if end < len(s) && s[end] == '/' && !strings.HasPrefix(s[end:], "//") && !strings.HasPrefix(s[end:], "/*") {
		end = numberEnd(s, end+1)
	}
	c, problem := parseNumber(s[t.pos:end])
	if problem != "" {
		t.end = end
		return t.toBadToken(problem)
	}
	t.c = c
	return t.withKind(tokConst, end-t.pos)
}

// numberEnd finds the end of digits, letters, colons and single dots; a colon
// cannot follow a dot.
func numberEnd(s string, pos int) int {
	dot := false
	for ; pos < len(s); pos++ {
		c := s[pos]
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case c == ':' && !dot:
		case c == '.' && (pos+1 >= len(s) || s[pos+1] != '.'):
			dot = true
		default:
			return pos
		}
	}
	return pos
}

func lexName(t token, s string) token {
	n := 0
	if t.pos+1 < len(s) && identStart(s[t.pos+1]) {
		n = identLen(s[t.pos+1:])
	}
	if n == 0 {
		t.end++
		return t.toBadToken("a name after " + s[t.pos:t.pos+1])
	}
	text := s[t.pos : t.pos+1+n]
	t.c = Const{Kind: ConstPortGroup, Text: text}
	if text[0] == '$' {
		t.c.Kind = ConstAddressSet
	}
	return t.withKind(tokConst, len(text))
}

func lexString(t token, s string) token {
	for i := t.pos + 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			text := s[t.pos : i+1]
			t.c = Const{Kind: ConstString, Text: text}
			if _, ok := unquote(text); !ok {
				return t.toBadToken("a string with JSON escapes")
			}
			return t.withKind(tokConst, len(text))
		}
	}
	t.end = len(s)
	return t.toBadToken(`a closing "`)
}
