package manifests

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// style is how a document is written, so that what is added looks like the rest.
type style struct {
	asJSON  bool
	eol     string
	step    int  // of indentation
	compact bool // dashes of a list stand under its key, without indent
}

func styleOf(root *yaml.Node, l *layout) style {
	s := style{asJSON: l.json, eol: "\n", step: 2, compact: true}
	if i := bytes.IndexByte(l.text, '\n'); i > 0 && l.text[i-1] == '\r' {
		s.eol = "\r\n"
	}
	haveStep, haveList := false, false
	var look func(n *yaml.Node)
	look = func(n *yaml.Node) {
		if haveStep && haveList {
			return
		}
		for i, c := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 1 && len(c.Content) > 0 && c.Line > n.Content[i-1].Line {
				in := c.Column - n.Content[i-1].Column
				switch {
				case s.asJSON:
					if !haveStep {
						s.step, haveStep = 2, true
					}
				case c.Style&yaml.FlowStyle != 0:
				case c.Kind == yaml.SequenceNode && !haveList:
					s.compact, haveList = in == 0, true
				case c.Kind == yaml.MappingNode && !haveStep && in > 0:
					s.step, haveStep = in, true
				}
			}
			look(c)
		}
	}
	look(root)
	if s.asJSON {
		s.step = jsonStep(root, l)
	}
	return s
}

// jsonStep is the indentation of a JSON text, 0 when it is on one line.
func jsonStep(root *yaml.Node, l *layout) int {
	if len(root.Content) == 0 || root.Content[0].Line == root.Line {
		return 0
	}
	return max(1, l.column(l.pos(root.Content[0]))-l.column(l.pos(root)))
}

// block writes a value as lines in block style, indented by col.
func (s style) block(v any, col int) string {
	var b strings.Builder
	text := strings.TrimSuffix(string(encodeBlock(nodeOf(v), max(s.step, 2), s.compact)), "\n")
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteString(s.eol)
		}
		if line != "" {
			b.WriteString(strings.Repeat(" ", col))
			b.WriteString(line)
		}
	}
	return b.String()
}

// inline writes a value on one line; col is the indentation of the line it
// stands on, which JSON over several lines needs.
func (s style) inline(v any, col int) string {
	if s.asJSON {
		return s.jsonText(v, col)
	}
	return flowText(v)
}

func (s style) jsonText(v any, col int) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if s.step > 0 {
		enc.SetIndent(strings.Repeat(" ", col), strings.Repeat(" ", s.step))
	}
	// A tree of strings, numbers and maps can always be written.
	_ = enc.Encode(v)
	return strings.ReplaceAll(strings.TrimSpace(b.String()), "\n", s.eol)
}

func flowText(v any) string {
	var b strings.Builder
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		for i, k := range slices.SortedFunc(maps.Keys(v), compareFields) {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(stringText(k) + ": " + flowText(v[k]))
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(flowText(e))
		}
		b.WriteByte(']')
	case string:
		return stringText(v)
	default:
		return literal(v)
	}
	return b.String()
}

// stringText writes a string on one line of YAML.
func stringText(s string) string {
	switch {
	case plainSafe(s):
		return s
	case singleSafe(s):
		return singleQuoted(s)
	}
	return doubleQuoted(s)
}

func singleQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// doubleQuoted writes a string as JSON does, which YAML reads as well.
func doubleQuoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be written
	out := strings.TrimSuffix(b.String(), "\n")
	// The YAML reader takes fewer characters raw than JSON does.
	return strings.NewReplacer("\x7f", `\u007f`, "\ufeff", `\ufeff`).Replace(out)
}

// scalar writes a value in the style of the scalar it replaces.
func (s style) scalar(old *yaml.Node, v any, col int) string {
	str, ok := v.(string)
	switch {
	case s.asJSON || !ok:
		return s.inline(v, col)
	case old.Kind != yaml.ScalarNode:
	case old.Style&yaml.DoubleQuotedStyle != 0:
		return doubleQuoted(str)
	case old.Style&yaml.SingleQuotedStyle != 0 && singleSafe(str):
		return singleQuoted(str)
	}
	return stringText(str)
}
