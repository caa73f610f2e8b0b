package manifests

import (
	"bytes"
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"

	"rung/sources/manifests/yamltree"
)

// documentStyle is the style of a document, so that added text looks like the rest.
type documentStyle struct {
	asJSON  bool
	eol     string
	step    int  // columns of indentation
	compact bool // dashes of a list are not indented below its key
}

func detectStyle(root *yaml.Node, l *yamltree.Layout) documentStyle {
	s := documentStyle{asJSON: l.JSON, eol: "\n", step: 2, compact: true}
	if i := bytes.IndexByte(l.Text, '\n'); i > 0 && l.Text[i-1] == '\r' {
		s.eol = "\r\n"
	}
	if s.asJSON {
		s.step = 0 // on one line
		if len(root.Content) > 0 && root.Content[0].Line != root.Line {
			s.step = max(1, l.Column(l.Offset(root.Content[0]))-l.Column(l.Offset(root)))
		}
		return s
	}
	haveStep, haveList := false, false
	var look func(n *yaml.Node)
	look = func(n *yaml.Node) {
		for i, c := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 1 && len(c.Content) > 0 && c.Line > n.Content[i-1].Line && !isFlow(c) {
				in := c.Column - n.Content[i-1].Column
				switch {
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
	return s
}

// blockText writes a value as lines in block style, indented by col.
func (s documentStyle) blockText(v any, col int) string {
	lines := strings.Split(strings.TrimSuffix(string(yamltree.BlockText(v, max(s.step, 2), s.compact)), "\n"), "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = strings.Repeat(" ", col) + line
		}
	}
	return strings.Join(lines, s.eol)
}

// inlineText writes a value on one line; col is the line's indentation, needed for JSON over several lines.
func (s documentStyle) inlineText(v any, col int) string {
	if s.asJSON {
		return s.jsonText(v, col)
	}
	return yamltree.FlowText(v)
}

func (s documentStyle) jsonText(v any, col int) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if s.step > 0 {
		enc.SetIndent(strings.Repeat(" ", col), strings.Repeat(" ", s.step))
	}
	// Trees of strings, numbers and maps never fail.
	_ = enc.Encode(v)
	return strings.ReplaceAll(strings.TrimSpace(b.String()), "\n", s.eol)
}

// scalarText writes a value in the style of the scalar it replaces.
func (s documentStyle) scalarText(old *yaml.Node, v any, col int) string {
	if str, ok := v.(string); ok && !s.asJSON {
		return yamltree.ScalarLike(old, str)
	}
	return s.inlineText(v, col)
}
