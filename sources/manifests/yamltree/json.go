package yamltree

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parseJSON parses consecutive JSON values into the same trees as YAML. Columns count bytes, not runes.
// offsets are the start and end of each value.
func parseJSON(text []byte) (roots []*yaml.Node, offsets [][2]int, err error) {
	if at := firstInvalid(text, func(rune) bool { return false }); at >= 0 {
		return nil, nil, jsonError(text, at, "a string is not UTF-8")
	}
	r := jsonReader{line: 1}
	dec := json.NewDecoder(bytes.NewReader(text))
	var value json.RawMessage
	for {
		err := dec.Decode(&value)
		bad, isSyntax := errors.AsType[*json.SyntaxError](err)
		switch {
		case err == io.EOF:
			return roots, offsets, nil
		case isSyntax:
			return nil, nil, jsonError(text, int(bad.Offset)-1, bad.Error())
		case err != nil:
			return nil, nil, jsonError(text, len(text), "ends too early")
		}
		r.text = text[:dec.InputOffset()]
		r.skip(" \t\r\n")
		start := r.pos
		roots = append(roots, r.readValue())
		offsets = append(offsets, [2]int{start, r.pos})
	}
}

func jsonError(text []byte, at int, msg string) error {
	return &SyntaxError{Code: NotJSON, Line: 1 + bytes.Count(text[:max(0, at)], []byte("\n")), Msg: msg}
}

// jsonReader makes the tree of a text already known to be JSON.
type jsonReader struct {
	text             []byte
	pos              int
	line, lineOffset int
}

// skip steps over any of the given bytes.
func (r *jsonReader) skip(chars string) {
	for ; r.pos < len(r.text) && strings.IndexByte(chars, r.text[r.pos]) >= 0; r.pos++ {
		if r.text[r.pos] == '\n' {
			r.line++
			r.lineOffset = r.pos + 1
		}
	}
}

func (r *jsonReader) readValue() *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: r.line, Column: r.pos - r.lineOffset + 1}
	start := r.pos
	switch c := r.text[start]; c {
	case '{':
		n.Kind, n.Tag, n.Style = yaml.MappingNode, "!!map", yaml.FlowStyle
		r.readContent(n, '}')
		return n
	case '[':
		n.Kind, n.Tag, n.Style = yaml.SequenceNode, "!!seq", yaml.FlowStyle
		r.readContent(n, ']')
		return n
	case '"':
		n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle
		r.readString(n)
		return n
	case 't', 'f':
		n.Tag = "!!bool"
	case 'n':
		n.Tag = "!!null"
	default:
		n.Tag = "!!int"
	}
	for r.pos < len(r.text) && strings.IndexByte(" \t\r\n,]}", r.text[r.pos]) < 0 {
		r.pos++
	}
	n.Value = string(r.text[start:r.pos])
	if n.Tag == "!!int" && bytes.ContainsAny(r.text[start:r.pos], ".eE") {
		n.Tag = "!!float"
	}
	return n
}

// readContent reads the names and values of an object or array up to its closing bracket.
func (r *jsonReader) readContent(n *yaml.Node, closing byte) {
	const between = " \t\r\n,:"
	r.pos++
	for r.skip(between); r.text[r.pos] != closing; r.skip(between) {
		n.Content = append(n.Content, r.readValue())
	}
	r.pos++
}

func (r *jsonReader) readString(n *yaml.Node) {
	start, escaped := r.pos, false
	for r.pos++; r.text[r.pos] != '"'; r.pos++ {
		if r.text[r.pos] == '\\' {
			escaped = true
			r.pos++
		}
	}
	r.pos++
	if !escaped {
		n.Value = string(r.text[start+1 : r.pos-1])
		return
	}
	_ = json.Unmarshal(r.text[start:r.pos], &n.Value) // valid JSON
}
