package yamltree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The codes of a SyntaxError.
const (
	NotYAML     = "yaml"
	NotJSON     = "json"
	ManyAliases = "yaml-aliases" // aliases expand to too many nodes
)

// BOM is the byte order mark at the start of some texts.
var BOM = []byte{0xef, 0xbb, 0xbf}

// SyntaxError means a text is not YAML or JSON. Line counts from 1 in the parsed text, 0 if unknown.
type SyntaxError struct {
	Code string
	Line int
	Msg  string
	// CutKey is the key whose value ParseRepaired omitted to read on.
	CutKey string
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Msg
	}
	return "line " + strconv.Itoa(e.Line) + ": " + e.Msg
}

var lineInError = regexp.MustCompile(`^line (\d+): `)

// ParseYAML parses one document; nil if it is empty. The parser's panics become errors.
func ParseYAML(text []byte) (*yaml.Node, error) {
	root, e := parseOnce(text)
	if e != nil {
		errorWhereShown(text, e)
		findRepair(text, nil, e) // names the line to change
		return nil, e
	}
	return root, nil
}

// parseOnce parses as ParseYAML does. An error keeps the line that the parser names.
func parseOnce(text []byte) (root *yaml.Node, wrong *SyntaxError) {
	defer func() {
		if r := recover(); r != nil {
			root, wrong = nil, &SyntaxError{Code: NotYAML, Msg: fmt.Sprint(r)}
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
		return nil, &SyntaxError{Code: NotYAML, Line: more.Line, Msg: "a second document begins without a --- line"}
	case !errors.Is(err, io.EOF):
		return nil, yamlError(err)
	}
	if len(doc.Content) == 0 || IsNull(doc.Content[0]) {
		return nil, nil
	}
	return doc.Content[0], nil
}

func yamlError(err error) *SyntaxError {
	e := &SyntaxError{Code: NotYAML, Msg: strings.TrimPrefix(err.Error(), "yaml: ")}
	if m := lineInError.FindStringSubmatch(e.Msg); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		e.Msg = e.Msg[len(m[0]):]
	}
	e.Msg = strings.ReplaceAll(e.Msg, "\n", " ")
	return e
}

// Parse parses one document of YAML or JSON, and reports which; nil if it is empty.
func Parse(text []byte) (root *yaml.Node, isJSON bool, err error) {
	if looksLikeJSON(text) {
		if roots, _, err := parseJSON(text); err == nil && len(roots) == 1 {
			return roots[0], true, nil
		}
	}
	root, err = ParseYAML(text)
	return root, false, err
}

// DefaultAliasNodes is the default limit of nodes that aliases expand to in one document.
const DefaultAliasNodes = 100_000

// ParseFlat parses and flattens a document.
func ParseFlat(text []byte, limit int) (*yaml.Node, error) {
	root, _, err := Parse(text)
	if err != nil || root == nil {
		return nil, err
	}
	return Flatten(root, text, limit)
}

// looksLikeJSON reports whether the text begins like a JSON object or array.
func looksLikeJSON(text []byte) bool {
	t := bytes.TrimLeft(text, " \t\r\n")
	return len(t) > 0 && (t[0] == '{' || t[0] == '[')
}

// Flatten resolves aliases and merge keys into a plain tree. If there are none, it returns n itself.
func Flatten(n *yaml.Node, text []byte, limit int) (*yaml.Node, error) {
	if bytes.IndexByte(text, '&') < 0 && !bytes.Contains(text, []byte("<<")) {
		return n, nil
	}
	f := flattener{limit: limit, active: map[*yaml.Node]bool{}}
	return f.copyNode(n, false)
}

type flattener struct {
	limit, count int
	active       map[*yaml.Node]bool
}

func (f *flattener) copyNode(n *yaml.Node, inAlias bool) (*yaml.Node, error) {
	if inAlias {
		f.count++
		if f.count > f.limit {
			return nil, &SyntaxError{Code: ManyAliases, Line: n.Line,
				Msg: fmt.Sprintf("aliases expand to more than %d nodes", f.limit)}
		}
	}
	if n.Kind == yaml.AliasNode {
		if f.active[n.Alias] {
			return nil, &SyntaxError{Code: ManyAliases, Line: n.Line, Msg: fmt.Sprintf("anchor %q contains itself", n.Value)}
		}
		f.active[n.Alias] = true
		defer delete(f.active, n.Alias)
		return f.copyNode(n.Alias, true)
	}
	if n.Kind == yaml.ScalarNode {
		return n, nil
	}
	c := *n
	c.Anchor = ""
	c.Content = make([]*yaml.Node, 0, len(n.Content))
	var merges []*yaml.Node
	for i := 0; i < len(n.Content); i++ {
		if n.Kind == yaml.MappingNode && i%2 == 0 && n.Content[i].Tag == "!!merge" {
			i++
			merges = append(merges, n.Content[i])
			continue
		}
		cc, err := f.copyNode(n.Content[i], inAlias)
		if err != nil {
			return nil, err
		}
		c.Content = append(c.Content, cc)
	}
	for _, m := range merges {
		from, err := f.copyNode(m, inAlias)
		if err != nil {
			return nil, err
		}
		if !mergeFields(&c, from) {
			return nil, &SyntaxError{Code: NotYAML, Line: m.Line, Msg: "a merge key (<<) needs a mapping"}
		}
	}
	return &c, nil
}

// mergeFields adds the missing fields of a merge key's value, a mapping or a list of mappings.
func mergeFields(into, from *yaml.Node) (ok bool) {
	switch from.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(from.Content); i += 2 {
			if Get(into, from.Content[i].Value) == nil {
				into.Content = append(into.Content, from.Content[i], from.Content[i+1])
			}
		}
		return true
	case yaml.SequenceNode:
		return !slices.ContainsFunc(from.Content, func(m *yaml.Node) bool { return m.Kind != yaml.MappingNode || !mergeFields(into, m) })
	}
	return false
}

// Get follows a path of fields through mappings; nil if one is absent.
func Get(n *yaml.Node, path ...string) *yaml.Node {
	for _, name := range path {
		_, n = FieldEntry(n, name)
	}
	return n
}

// FieldEntry returns the name and value nodes of a mapping's field, nil if absent.
func FieldEntry(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// ItemsAt returns the elements of the sequence at a path.
func ItemsAt(n *yaml.Node, path ...string) []*yaml.Node {
	n = Get(n, path...)
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// TextAt returns the text of the scalar at a path; empty for null and other nodes.
func TextAt(n *yaml.Node, path ...string) string {
	n = Get(n, path...)
	if n == nil || n.Kind != yaml.ScalarNode || IsNull(n) {
		return ""
	}
	return n.Value
}

// Fields are the fields to keep of a mapping, or of each mapping in a list. nil keeps a whole value.
type Fields map[string]Fields

// KeepIn removes all other fields.
func (f Fields) KeepIn(n *yaml.Node) {
	switch {
	case n == nil || f == nil:
	case n.Kind == yaml.SequenceNode:
		for _, e := range n.Content {
			f.KeepIn(e)
		}
	case n.Kind == yaml.MappingNode:
		kept := n.Content[:0]
		for i := 0; i+1 < len(n.Content); i += 2 {
			if below, keep := f[n.Content[i].Value]; keep {
				below.KeepIn(n.Content[i+1])
				kept = append(kept, n.Content[i], n.Content[i+1])
			}
		}
		n.Content = kept
	}
}

// IsNull reports whether a node is null, as is a field without a value.
func IsNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// ParseInt parses an integer in the forms of YAML 1.1 and 1.2.
func ParseInt(s string) (int64, error) {
	s = strings.ReplaceAll(s, "_", "")
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return v, nil
	}
	return strconv.ParseInt(s, 10, 64)
}

const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// Tag returns the type of a scalar as Kubernetes tools see it. They read YAML 1.1, where a bare yes, no, on or off
// is a boolean, and have no dates.
func Tag(n *yaml.Node) string {
	switch {
	case n.Tag == "!!timestamp" || n.Tag == "!!merge":
		return "!!str"
	case n.Tag == "!!str" && n.Style&quoted == 0 && n.Style&yaml.TaggedStyle == 0 && yaml11Bool(n.Value):
		return "!!bool"
	}
	return n.Tag
}

func yaml11Bool(s string) bool {
	switch s {
	case "y", "Y", "n", "N", "on", "On", "ON", "no", "No", "NO", "yes", "Yes", "YES", "off", "Off", "OFF":
		return true
	}
	return false
}

// JSONValue converts a flat tree to the values of encoding/json, but with integers as int64.
func JSONValue(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = JSONValue(n.Content[i+1])
		}
		return m
	case yaml.SequenceNode:
		s := make([]any, len(n.Content))
		for i, c := range n.Content {
			s[i] = JSONValue(c)
		}
		return s
	case yaml.ScalarNode:
		return scalarValue(n)
	}
	return nil
}

func scalarValue(n *yaml.Node) any {
	switch Tag(n) {
	case "!!null":
		return nil
	case "!!bool":
		return slices.Contains([]string{"true", "yes", "y", "on"}, strings.ToLower(n.Value))
	case "!!int":
		if v, err := ParseInt(n.Value); err == nil {
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
