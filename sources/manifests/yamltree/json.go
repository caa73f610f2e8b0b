package yamltree

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxDepth bounds nesting; the YAML parser has the same bound.
const maxDepth = 10_000

// parseJSON parses the JSON values in the text, one behind the other, into the
// same tree YAML is parsed into. Columns count bytes, not runes. offsets are where
// each value begins and ends.
func parseJSON(text []byte) (roots []*yaml.Node, offsets [][2]int, err error) {
	p := jsonParser{text: text, line: 1}
	for p.skipSpace(); p.pos < len(text); p.skipSpace() {
		start := p.pos
		n, err := p.parseValue(0)
		if err != nil {
			return nil, nil, err
		}
		roots = append(roots, n)
		offsets = append(offsets, [2]int{start, p.pos})
	}
	return roots, offsets, nil
}

type jsonParser struct {
	text             []byte
	pos              int
	line, lineOffset int
}

func (p *jsonParser) skipSpace() {
	for ; p.pos < len(p.text); p.pos++ {
		switch p.text[p.pos] {
		case '\n':
			p.line++
			p.lineOffset = p.pos + 1
		case ' ', '\t', '\r':
		default:
			return
		}
	}
}

func (p *jsonParser) failAt(format string, args ...any) error {
	return &SyntaxError{Code: NotJSON, Line: p.line, Msg: fmt.Sprintf(format, args...)}
}

func (p *jsonParser) failUnexpected(want string) error {
	if p.pos >= len(p.text) {
		return p.failAt("ends where %s should follow", want)
	}
	r, _ := utf8.DecodeRune(p.text[p.pos:])
	return p.failAt("%q where %s should be", r, want)
}

func (p *jsonParser) newNode(kind yaml.Kind, tag string, style yaml.Style) *yaml.Node {
	return &yaml.Node{Kind: kind, Tag: tag, Style: style, Line: p.line, Column: p.pos - p.lineOffset + 1}
}

func (p *jsonParser) parseValue(depth int) (*yaml.Node, error) {
	if depth > maxDepth {
		return nil, p.failAt("is nested deeper than %d", maxDepth)
	}
	if p.pos >= len(p.text) {
		return nil, p.failUnexpected("a value")
	}
	switch c := p.text[p.pos]; {
	case c == '{':
		return p.parseObject(depth)
	case c == '[':
		return p.parseArray(depth)
	case c == '"':
		return p.parseString()
	case c == '-' || c >= '0' && c <= '9':
		return p.parseNumber()
	}
	for _, l := range [...][2]string{{"true", "!!bool"}, {"false", "!!bool"}, {"null", "!!null"}} {
		if end := p.pos + len(l[0]); end <= len(p.text) && string(p.text[p.pos:end]) == l[0] {
			n := p.newNode(yaml.ScalarNode, l[1], 0)
			n.Value = l[0]
			p.pos = end
			return n, nil
		}
	}
	return nil, p.failUnexpected("a value")
}

func (p *jsonParser) parseObject(depth int) (*yaml.Node, error) {
	n := p.newNode(yaml.MappingNode, "!!map", yaml.FlowStyle)
	p.pos++
	p.skipSpace()
	if p.skipByte('}') {
		return n, nil
	}
	for {
		p.skipSpace()
		if p.pos >= len(p.text) || p.text[p.pos] != '"' {
			return nil, p.failUnexpected("a field's name")
		}
		k, err := p.parseString()
		if err != nil {
			return nil, err
		}
		p.skipSpace()
		if !p.skipByte(':') {
			return nil, p.failUnexpected("a colon")
		}
		p.skipSpace()
		v, err := p.parseValue(depth + 1)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, k, v)
		p.skipSpace()
		switch {
		case p.skipByte('}'):
			return n, nil
		case !p.skipByte(','):
			return nil, p.failUnexpected("a comma or a closing brace")
		}
	}
}

func (p *jsonParser) parseArray(depth int) (*yaml.Node, error) {
	n := p.newNode(yaml.SequenceNode, "!!seq", yaml.FlowStyle)
	p.pos++
	p.skipSpace()
	if p.skipByte(']') {
		return n, nil
	}
	for {
		p.skipSpace()
		v, err := p.parseValue(depth + 1)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, v)
		p.skipSpace()
		switch {
		case p.skipByte(']'):
			return n, nil
		case !p.skipByte(','):
			return nil, p.failUnexpected("a comma or a closing bracket")
		}
	}
}

// skipByte steps over c if it is next.
func (p *jsonParser) skipByte(c byte) bool {
	if p.pos < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *jsonParser) parseString() (*yaml.Node, error) {
	n := p.newNode(yaml.ScalarNode, "!!str", yaml.DoubleQuotedStyle)
	plain := true
	for i := p.pos + 1; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '\\':
			plain = false
			i++
		case c < 0x20:
			return nil, p.failAt("a control character in a string")
		case c == '"':
			raw := p.text[p.pos : i+1]
			p.pos = i + 1
			if !utf8.Valid(raw) {
				return nil, p.failAt("a string is not UTF-8")
			}
			if plain {
				n.Value = string(raw[1 : len(raw)-1])
				return n, nil
			}
			if err := json.Unmarshal(raw, &n.Value); err != nil {
				return nil, p.failAt("a string cannot be read: %v", err)
			}
			return n, nil
		}
	}
	return nil, p.failAt("a string does not end")
}

func (p *jsonParser) parseNumber() (*yaml.Node, error) {
	n := p.newNode(yaml.ScalarNode, "!!int", 0)
	end := p.pos
	for end < len(p.text) {
		c := p.text[end]
		if c == '.' || c == 'e' || c == 'E' {
			n.Tag = "!!float"
		} else if (c < '0' || c > '9') && c != '+' && c != '-' {
			break
		}
		end++
	}
	n.Value = string(p.text[p.pos:end])
	if !json.Valid(p.text[p.pos:end]) {
		return nil, p.failAt("%q is not a number", n.Value)
	}
	p.pos = end
	return n, nil
}
