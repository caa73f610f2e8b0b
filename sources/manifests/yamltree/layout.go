package yamltree

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Layout finds the bytes of a tree's nodes in their text. The parser only tells where a node begins, in lines
// and runes.
type Layout struct {
	Text []byte
	JSON bool
	// lineStarts are the offsets of lines, by the line breaks of the parser used.
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

// Offset returns the offset of a node's start.
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

// lineIndex returns the index of the line with an offset.
func (l *Layout) lineIndex(p int) int {
	i, found := slices.BinarySearch(l.lineStarts, p)
	if found {
		return i
	}
	return i - 1
}

// LineStart returns the start of the line of p, NextLine that of the next line or the text's end.
func (l *Layout) LineStart(p int) int { return l.lineStarts[l.lineIndex(p)] }

func (l *Layout) NextLine(p int) int {
	if i := l.lineIndex(p) + 1; i < len(l.lineStarts) {
		return l.lineStarts[i]
	}
	return len(l.Text)
}

// Column counts the bytes before p in its line, from 0.
func (l *Layout) Column(p int) int { return p - l.LineStart(p) }

// Indent counts the spaces at the start of the line of p.
func (l *Layout) Indent(p int) int { return leadingSpaces(l.Text[l.LineStart(p):]) }

// OnlySpaceBefore reports whether p is the first non-space on its line.
func (l *Layout) OnlySpaceBefore(p int) bool { return l.Indent(p) >= l.Column(p) }

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

// Start returns the offset of a node's content, behind its anchor and tag.
func (l *Layout) Start(n *yaml.Node) int {
	p := l.Offset(n)
	if n.Anchor == "" && n.Style&yaml.TaggedStyle == 0 {
		return p
	}
	for p < len(l.Text) && (l.Text[p] == '&' || l.Text[p] == '!') {
		for p < len(l.Text) && !isSpace(l.Text[p]) {
			p++
		}
		p = l.SkipSpace(p)
	}
	return p
}

var (
	doubleQuotedText = regexp.MustCompile(`(?s)^"(?:[^"\\]|\\.)*"`)
	singleQuotedText = regexp.MustCompile(`^'(?:[^']|'')*'`)
)

// End returns the offset behind a node's last byte, assuming usual formatting. indent is the column of the
// block mapping or list with the node, or -1 for the root and in flow style.
func (l *Layout) End(n *yaml.Node, indent int) int {
	p := l.Start(n)
	rest := l.Text[p:]
	switch {
	case n.Kind == yaml.AliasNode:
		p += 1 + len(n.Value)
	case n.Kind != yaml.ScalarNode && n.Style&yaml.FlowStyle != 0:
		p = l.flowEnd(n, p)
	case len(n.Content) > 0:
		p = l.End(n.Content[len(n.Content)-1], l.Column(p))
	case n.Style&yaml.DoubleQuotedStyle != 0:
		p += len(doubleQuotedText.Find(rest))
	case n.Style&yaml.SingleQuotedStyle != 0:
		p += len(singleQuotedText.Find(rest))
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		p = l.blockScalarEnd(p, indent)
	default:
		// A plain scalar: its words, with any white space between them, since lines are folded.
		for i, word := range strings.FieldsFunc(n.Value, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }) {
			for i > 0 && p < len(l.Text) && isSpace(l.Text[p]) {
				p++
			}
			p += len(word)
		}
	}
	return min(p, len(l.Text))
}

// blockScalarEnd finds the end of a literal or folded scalar whose header is at p: the end of its last
// non-blank line that is indented enough.
func (l *Layout) blockScalarEnd(p, indent int) int {
	end := l.LineStart(p) + len(bytes.TrimRight(l.Text[l.LineStart(p):l.NextLine(p)], "\r\n"))
	first := -1 // indentation of the first line
	for start := l.NextLine(p); start < len(l.Text); start = l.NextLine(start) {
		row := bytes.TrimRight(l.Text[start:l.NextLine(start)], "\r\n")
		n := leadingSpaces(row)
		if n == len(row) {
			continue // blank
		}
		if n <= indent || n < first && row[n] == '#' {
			break
		}
		if first < 0 {
			first = n
		}
		end = start + len(row)
	}
	return end
}

// flowEnd finds the end of a flow collection that begins at p.
func (l *Layout) flowEnd(n *yaml.Node, p int) int {
	bracket := p < len(l.Text) && (l.Text[p] == '{' || l.Text[p] == '[') // in [a: b] the mapping has none
	if len(n.Content) > 0 {
		p = l.End(n.Content[len(n.Content)-1], -1)
	} else {
		p++
	}
	if !bracket {
		return p
	}
	for p = l.SkipSpace(p); p < len(l.Text) && (l.Text[p] == ',' || l.Text[p] == ':'); {
		p = l.SkipSpace(p + 1)
	}
	return p + 1
}

// DashOffset returns the offset of the dash of element i of a block list.
func (l *Layout) DashOffset(n *yaml.Node, i int) int {
	first := l.Start(n)
	col := l.Column(first)
	for row := l.lineIndex(l.Offset(n.Content[i])); row >= l.lineIndex(first); row-- {
		if p := l.lineStarts[row] + col; p < len(l.Text) && l.Text[p] == '-' && l.OnlySpaceBefore(p) {
			return p
		}
	}
	return first
}
