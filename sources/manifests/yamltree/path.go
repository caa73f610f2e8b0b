package yamltree

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"rung/model/words"
)

// PathStep is one step from an object's root to a node: a field (index -1), or an element of a list.
type PathStep struct {
	Name  string
	Index int
}

func FieldStep(name string) PathStep { return PathStep{Name: name, Index: -1} }

// PathText writes the path of a field as Kubernetes does; generic omits the indexes.
func PathText(way []PathStep, generic bool) string {
	var b strings.Builder
	for i, s := range way {
		switch {
		case s.Index >= 0 && generic:
			b.WriteString("[]")
		case s.Index >= 0:
			b.WriteString("[" + strconv.Itoa(s.Index) + "]")
		case s.Name == "" || strings.ContainsAny(s.Name, "./[] :\t\n"): // not possible behind a dot
			b.WriteString("[" + words.CleanText(s.Name) + "]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(words.CleanText(s.Name))
		}
	}
	return b.String()
}

// FieldLine returns the line of a field, or of the nearest field above it; 0 if the tree has no lines. path is
// written as in API errors.
func FieldLine(n *yaml.Node, path string) int {
	_, line, _ := fieldAt(n, pathKeys(path))
	return line
}

// LineOfValue returns the line of a value below a field that the message quotes, else the line of the field.
func LineOfValue(n *yaml.Node, path, message string) int {
	below, line, _ := fieldAt(n, pathKeys(path))
	if v := quotedScalar(below, message); v != nil {
		return v.Line
	}
	return line
}

// ClearField makes a field null, which means absent. If its correct name, meant, is known and free, the field
// is renamed instead and keeps its value.
func ClearField(n *yaml.Node, path, meant string) {
	keys := pathKeys(path)
	if len(keys) == 0 {
		return
	}
	last := keys[len(keys)-1]
	at, _, found := fieldAt(n, keys[:len(keys)-1])
	if !found {
		return
	}
	if name, _ := FieldEntry(at, last); name != nil && meant != "" && Get(at, meant) == nil {
		name.Value = meant
		return
	}
	if value, _ := childNode(at, last); value != nil {
		*value = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: value.Line, Column: value.Column}
	}
}

// quotedScalar returns the first scalar of a tree, keys included, that a text quotes.
func quotedScalar(n *yaml.Node, text string) *yaml.Node {
	if n.Kind == yaml.ScalarNode && n.Value != "" && strings.Contains(text, strconv.Quote(n.Value)) {
		return n
	}
	for _, c := range n.Content {
		if v := quotedScalar(c, text); v != nil {
			return v
		}
	}
	return nil
}

// HasAnyKey reports whether a path passes through one of the fields.
func HasAnyKey(path string, fields map[string]bool) bool {
	return slices.ContainsFunc(pathKeys(path), func(key string) bool { return fields[key] })
}

// fieldAt returns a field of a tree, or the nearest field above it, and its line.
func fieldAt(n *yaml.Node, keys []string) (at *yaml.Node, line int, found bool) {
	line = n.Line
	for _, key := range keys {
		below, keyLine := childNode(n, key)
		if below == nil {
			return n, line, false
		}
		n, line = below, keyLine
	}
	return n, line, true
}

var pathKey = regexp.MustCompile(`\[[^\]]*\]|[^.\[]+`)

// pathKeys returns the names and indexes of a path.
func pathKeys(path string) []string {
	keys := pathKey.FindAllString(path, -1)
	for i, key := range keys {
		keys[i] = strings.TrimSuffix(strings.TrimPrefix(key, "["), "]")
	}
	return keys
}

// childNode returns a field or element of a node, and the line it begins on.
func childNode(n *yaml.Node, key string) (*yaml.Node, int) {
	switch n.Kind {
	case yaml.MappingNode:
		if name, value := FieldEntry(n, key); name != nil {
			return value, name.Line
		}
	case yaml.SequenceNode:
		var i int
		if _, err := fmt.Sscanf(key, "%d", &i); err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i], n.Content[i].Line
		}
	}
	return nil, 0
}
