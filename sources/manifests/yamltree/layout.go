package yamltree

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Layout finds where the nodes of a tree stand in the text they were parsed
// from. The parser tells only where a node begins, in lines and runes.
type Layout struct {
	Text []byte
	JSON bool
	// lineStarts are the offsets at which lines begin, by the breaks of the parser
	// at hand.
	lineStarts []int
}

func NewLayout(text []byte, json bool) *Layout {
	l := &Layout{Text: text, JSON: json, lineStarts: []int{0}}
	for i, c := range string(text) {
		other := c == '\r' && !bytes.HasPrefix(text[i+1:], []byte("\n")) || c == '\u0085' || c == '\u2028' || c == '\u2029'
		if c == '\n' || other && !json {
			l.lineStarts = append(l.lineStarts, i+utf8.RuneLen(c))
		}
	}
	return l
}

// Offset is the offset a node begins at.
func (l *Layout) Offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(l.lineStarts) {
		return len(l.Text)
	}
	p := l.lineStarts[n.Line-1]
	if l.JSON {
		return min(p+n.Column-1, len(l.Text))
	}
	for c := 1; c < n.Column && p < len(l.Text); c++ {
		_, size := utf8.DecodeRune(l.Text[p:])
		p += size
	}
	return p
}

// LineIndex is the index of the line an offset is in.
func (l *Layout) LineIndex(p int) int {
	i, found := slices.BinarySearch(l.lineStarts, p)
	if found {
		return i
	}
	return i - 1
}

// LineStart is the offset the line of p begins at, NextLine that of the line
// behind it (the text's end for the last).
func (l *Layout) LineStart(p int) int { return l.lineStarts[l.LineIndex(p)] }

func (l *Layout) NextLine(p int) int {
	if i := l.LineIndex(p) + 1; i < len(l.lineStarts) {
		return l.lineStarts[i]
	}
	return len(l.Text)
}

// Column counts the bytes before p in its line, from 0.
func (l *Layout) Column(p int) int { return p - l.LineStart(p) }

// OnlySpaceBefore says whether p is the first thing on its line.
func (l *Layout) OnlySpaceBefore(p int) bool {
	return len(bytes.Trim(l.Text[l.LineStart(p):p], " ")) == 0
}

// EndOffset is the offset behind a node's last byte. indent is the column of the
// block mapping or list the node is in, -1 for the root. ok is false where the
// text is not understood.
func (l *Layout) EndOffset(n *yaml.Node, indent int) (end int, ok bool) {
	p := l.Offset(n)
	if n.Kind == yaml.AliasNode {
		return l.skipUpTo(p + 1 + len(n.Value))
	}
	if n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&quoted == 0 && n.Anchor == "" &&
		n.Style&yaml.TaggedStyle == 0 {
		return p, true // not written at all
	}
	p, ok = l.skipProperties(n, p)
	if !ok {
		return 0, false
	}
	switch {
	case n.Kind == yaml.ScalarNode:
		return l.scalarEnd(n, p, indent)
	case n.Style&yaml.FlowStyle != 0:
		return l.flowEnd(n, p)
	case len(n.Content) == 0:
		return 0, false
	}
	return l.EndOffset(n.Content[len(n.Content)-1], l.Column(p))
}

func (l *Layout) skipUpTo(p int) (int, bool) { return p, p <= len(l.Text) }

// skipProperties steps over an anchor and a tag to the node's content.
func (l *Layout) skipProperties(n *yaml.Node, p int) (int, bool) {
	if n.Anchor == "" && n.Style&yaml.TaggedStyle == 0 {
		return p, true
	}
	for p < len(l.Text) && (l.Text[p] == '&' || l.Text[p] == '!') {
		for p < len(l.Text) && !isSpace(l.Text[p]) {
			p++
		}
		p = l.SkipSpace(p)
	}
	return l.skipUpTo(p)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// SkipSpace steps over white space, line breaks and comments.
func (l *Layout) SkipSpace(p int) int {
	for p < len(l.Text) {
		switch c := l.Text[p]; {
		case isSpace(c):
			p++
		case c == '#' && !l.JSON && (p == 0 || isSpace(l.Text[p-1])):
			p = l.NextLine(p)
		default:
			return p
		}
	}
	return p
}

func (l *Layout) scalarEnd(n *yaml.Node, p, indent int) (int, bool) {
	switch {
	case p >= len(l.Text):
		return p, n.Value == ""
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return l.quoteEnd(p, '"', `\`)
	case n.Style&yaml.SingleQuotedStyle != 0:
		return l.quoteEnd(p, '\'', "''")
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return l.blockScalarEnd(p, indent)
	}
	return l.plainEnd(n.Value, p)
}

// quoteEnd finds the end of a quoted scalar; escape begins two bytes that do not end it.
func (l *Layout) quoteEnd(p int, quote byte, escape string) (int, bool) {
	for i := p + 1; i < len(l.Text); i++ {
		switch {
		case bytes.HasPrefix(l.Text[i:], []byte(escape)):
			i++
		case l.Text[i] == quote:
			return i + 1, true
		}
	}
	return 0, false
}

// plainEnd finds the end of a plain scalar: its words are in the text, with any white
// space between them, since lines are folded.
func (l *Layout) plainEnd(value string, p int) (int, bool) {
	for i, word := range strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }) {
		start := p
		for i > 0 && p < len(l.Text) && isSpace(l.Text[p]) {
			p++
		}
		if i > 0 && p == start || !bytes.HasPrefix(l.Text[p:], []byte(word)) {
			return 0, false
		}
		p += len(word)
	}
	return p, true
}

// blockScalarEnd finds the end of a literal or folded scalar whose header is at
// p: the end of the last line that is indented enough and not blank.
func (l *Layout) blockScalarEnd(p, indent int) (int, bool) {
	want := -1
	header := l.Text[p:l.NextLine(p)]
	for _, c := range header[1:] {
		if c >= '1' && c <= '9' {
			want = max(indent, 0) + int(c-'0')
		} else if c != '+' && c != '-' {
			break
		}
	}
	end := p + len(bytes.TrimRight(header, "\r\n"))
	for i := l.LineIndex(p) + 1; i < len(l.lineStarts); i++ {
		start, next := l.lineStarts[i], l.NextLine(l.lineStarts[i])
		row := bytes.TrimRight(l.Text[start:next], "\r\n")
		n := leadingSpaces(row)
		if len(row) == n {
			continue // blank
		}
		if want < 0 {
			if n <= indent {
				break
			}
			want = n
		}
		if n < want {
			break
		}
		end = start + len(row)
	}
	return end, true
}

// flowEnd finds the closing bracket of a flow collection.
func (l *Layout) flowEnd(n *yaml.Node, p int) (int, bool) {
	closing := byte('}')
	if n.Kind == yaml.SequenceNode {
		closing = ']'
	}
	if p >= len(l.Text) || l.Text[p] != '{' && l.Text[p] != '[' {
		// [a: b] has a mapping without brackets.
		if n.Kind == yaml.MappingNode && len(n.Content) > 0 {
			return l.EndOffset(n.Content[len(n.Content)-1], -1)
		}
		return 0, false
	}
	p++
	if len(n.Content) > 0 {
		var ok bool
		p, ok = l.EndOffset(n.Content[len(n.Content)-1], -1)
		if !ok {
			return 0, false
		}
	}
	for p = l.SkipSpace(p); p < len(l.Text); p = l.SkipSpace(p + 1) {
		switch l.Text[p] {
		case closing:
			return p + 1, true
		case ',', ':':
		default:
			return 0, false
		}
	}
	return 0, false
}

// DashOffset is the offset of the dash of element i of a block list.
func (l *Layout) DashOffset(n *yaml.Node, i int) int {
	first := l.Offset(n)
	if n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
		first, _ = l.skipProperties(n, first)
	}
	col := l.Column(first)
	for row := l.LineIndex(l.Offset(n.Content[i])); row >= l.LineIndex(first); row-- {
		if p := l.lineStarts[row] + col; p < len(l.Text) && l.Text[p] == '-' && l.OnlySpaceBefore(p) {
			return p
		}
	}
	return first
}

// FirstOnLine is the offset of the first thing on the line of p.
func (l *Layout) FirstOnLine(p int) int {
	s := l.LineStart(p)
	return s + leadingSpaces(l.Text[s:])
}
