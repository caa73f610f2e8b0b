package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// syntaxError is text that is not YAML or JSON. Line counts from 1 in the text
// that was parsed, 0 when it is not known.
type syntaxError struct {
	code string
	line int
	msg  string
}

func (e *syntaxError) Error() string {
	if e.line == 0 {
		return e.msg
	}
	return "line " + strconv.Itoa(e.line) + ": " + e.msg
}

var lineInError = regexp.MustCompile(`^line (\d+): `)

// parseYAML parses one document; nil means it is empty. The parser's own panics
// become errors: it is fed with anything.
func parseYAML(text []byte) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, &syntaxError{code: CodeYAML, msg: fmt.Sprint(r)}
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, yamlError(err)
	}
	var more yaml.Node
	switch err := dec.Decode(&more); {
	case err == nil:
		return nil, &syntaxError{code: CodeYAML, line: more.Line, msg: "a second document begins without a --- line"}
	case !errors.Is(err, io.EOF):
		return nil, yamlError(err)
	}
	if len(doc.Content) == 0 || isNull(doc.Content[0]) {
		return nil, nil
	}
	return doc.Content[0], nil
}

func yamlError(err error) *syntaxError {
	e := &syntaxError{code: CodeYAML, msg: strings.TrimPrefix(err.Error(), "yaml: ")}
	if m := lineInError.FindStringSubmatch(e.msg); m != nil {
		e.line, _ = strconv.Atoi(m[1])
		e.msg = e.msg[len(m[0]):]
	}
	e.msg = strings.ReplaceAll(e.msg, "\n", " ")
	return e
}

// looksLikeJSON says whether the text begins as a JSON object or array does.
func looksLikeJSON(text []byte) bool {
	t := bytes.TrimLeft(text, " \t\r\n")
	return len(t) > 0 && (t[0] == '{' || t[0] == '[')
}

// flatten resolves aliases and merge keys, so that everything behind it sees a
// plain tree. It returns the tree itself when there is nothing to resolve.
func flatten(n *yaml.Node, text []byte, limit int) (*yaml.Node, error) {
	if bytes.IndexByte(text, '&') < 0 && !bytes.Contains(text, []byte("<<")) {
		return n, nil
	}
	f := flattener{limit: limit, active: map[*yaml.Node]bool{}}
	return f.copy(n, false)
}

type flattener struct {
	limit, count int
	active       map[*yaml.Node]bool
}

func (f *flattener) copy(n *yaml.Node, inAlias bool) (*yaml.Node, error) {
	if inAlias {
		if f.count++; f.count > f.limit {
			return nil, &syntaxError{code: CodeAliases, line: n.Line,
				msg: fmt.Sprintf("aliases expand to more than %d nodes", f.limit)}
		}
	}
	if n.Kind == yaml.AliasNode {
		if f.active[n.Alias] {
			return nil, &syntaxError{code: CodeAliases, line: n.Line, msg: fmt.Sprintf("anchor %q contains itself", n.Value)}
		}
		f.active[n.Alias] = true
		defer delete(f.active, n.Alias)
		return f.copy(n.Alias, true)
	}
	if n.Kind == yaml.ScalarNode {
		return n, nil
	}
	c := *n
	c.Anchor = ""
	c.Content = make([]*yaml.Node, 0, len(n.Content))
	var merges []*yaml.Node
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Tag == "!!merge" {
			merges = append(merges, n.Content[i+1])
			continue
		}
		if n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Tag == "!!merge" {
			continue
		}
		cc, err := f.copy(child, inAlias)
		if err != nil {
			return nil, err
		}
		c.Content = append(c.Content, cc)
	}
	for _, m := range merges {
		if err := f.merge(&c, m, inAlias); err != nil {
			return nil, err
		}
	}
	return &c, nil
}

// merge adds the fields of a merge key's value that are not there yet.
func (f *flattener) merge(into, from *yaml.Node, inAlias bool) error {
	v, err := f.copy(from, inAlias)
	if err != nil {
		return err
	}
	switch v.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(v.Content); i += 2 {
			if get(into, v.Content[i].Value) == nil {
				into.Content = append(into.Content, v.Content[i], v.Content[i+1])
			}
		}
		return nil
	case yaml.SequenceNode:
		for _, m := range v.Content {
			if m.Kind != yaml.MappingNode {
				break
			}
			if err := f.merge(into, m, inAlias); err != nil {
				return err
			}
		}
		return nil
	}
	return &syntaxError{code: CodeYAML, line: from.Line, msg: "a merge key (<<) needs a mapping"}
}

// get returns the value of a field of a mapping, nil when it is absent.
func get(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// dig follows a path of fields.
func dig(n *yaml.Node, keys ...string) *yaml.Node {
	for _, k := range keys {
		n = get(n, k)
	}
	return n
}

// items returns the elements of a sequence.
func items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// str is the text of a scalar, empty for anything else and for null.
func str(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode || isNull(n) {
		return ""
	}
	return n.Value
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// truth is the value of a boolean scalar.
func truth(n *yaml.Node) bool {
	if n == nil || tag(n) != "!!bool" {
		return false
	}
	switch strings.ToLower(n.Value) {
	case "true", "yes", "y", "on":
		return true
	}
	return false
}

// number is the value of an integer scalar, 0 for anything else.
func number(n *yaml.Node) int64 {
	if n == nil || n.Tag != "!!int" {
		return 0
	}
	v, _ := parseInt(n.Value)
	return v
}

func parseInt(s string) (int64, error) {
	s = strings.ReplaceAll(s, "_", "")
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return v, nil
	}
	return strconv.ParseInt(s, 10, 64)
}

const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// tag is the type of a scalar as the Kubernetes tools see it: they read YAML 1.1,
// where a bare yes, no, on or off is a boolean, and have no dates.
func tag(n *yaml.Node) string {
	switch {
	case n.Tag == "!!timestamp" || n.Tag == "!!merge":
		return "!!str"
	case n.Tag == "!!str" && n.Style&quoted == 0 && n.Style&yaml.TaggedStyle == 0 && oldBool(n.Value):
		return "!!bool"
	}
	return n.Tag
}

func oldBool(s string) bool {
	switch len(s) {
	case 1:
		return s == "y" || s == "Y" || s == "n" || s == "N"
	case 2:
		return s == "on" || s == "On" || s == "ON" || s == "no" || s == "No" || s == "NO"
	case 3:
		return s == "yes" || s == "Yes" || s == "YES" || s == "off" || s == "Off" || s == "OFF"
	}
	return false
}

// toAny turns a flat tree into what encoding/json would give, integers as int64.
func toAny(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = toAny(n.Content[i+1])
		}
		return m
	case yaml.SequenceNode:
		s := make([]any, len(n.Content))
		for i, c := range n.Content {
			s[i] = toAny(c)
		}
		return s
	case yaml.ScalarNode:
		return scalarAny(n)
	}
	return nil
}

func scalarAny(n *yaml.Node) any {
	switch tag(n) {
	case "!!null":
		return nil
	case "!!bool":
		return truth(n)
	case "!!int":
		if v, err := parseInt(n.Value); err == nil {
			return v
		}
		if v, err := strconv.ParseFloat(n.Value, 64); err == nil {
			return v
		}
	case "!!float":
		v, err := strconv.ParseFloat(strings.ReplaceAll(n.Value, "_", ""), 64)
		if err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) {
			return v
		}
	}
	return n.Value
}
