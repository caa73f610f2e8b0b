package yamltree

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Marshal writes a tree of JSON values as YAML.
func Marshal(v any) []byte { return BlockText(v, 2, false) }

// BlockText writes a value in block style. With compact, dashes of a list are not indented below its key.
func BlockText(v any, indent int, compact bool) []byte {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(indent)
	if compact {
		enc.CompactSeqIndent()
	}
	// A tree made by buildNode never fails.
	_ = enc.Encode(buildNode(v))
	_ = enc.Close()
	return b.Bytes()
}

// fieldOrder is the usual order of fields; others come between, by name.
var fieldOrder = map[string]int{
	"apiVersion": -90, "kind": -80, "metadata": -70, "spec": -60, "name": -50, "namespace": -45, "tier": -41, "priority": -40,
	"subject": -38, "appliedTo": -38, "podSelector": -35, "policyTypes": -34, "ingress": -32, "egress": -31, "action": -30, "type": -30,
	"from": -28, "to": -27, "toServices": -26, "namespaceSelector": -36, "ports": -20, "protocols": -20, "key": -19, "operator": -18,
	"protocol": -17,
	"port":     -16, "start": -16, "end": -15, "endPort": -15, "matchLabels": -12, "matchExpressions": -11, "values": 10,
	"status": 90,
}

func CompareFields(a, b string) int {
	return cmp.Or(cmp.Compare(fieldOrder[a], fieldOrder[b]), cmp.Compare(a, b))
}

// buildNode makes the YAML tree of a generic value, with fields in the order of CompareFields.
func buildNode(v any) *yaml.Node {
	switch v := v.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, k := range slices.SortedFunc(maps.Keys(v), CompareFields) {
			n.Content = append(n.Content, stringNode(k), buildNode(v[k]))
		}
		return n
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, e := range v {
			n.Content = append(n.Content, buildNode(e))
		}
		return n
	case string:
		return stringNode(v)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: literalText(v)}
}

// literalText returns null, a boolean or a number as YAML and JSON write it.
func literalText(v any) string {
	if f, ok := v.(float64); ok && f == 0 && math.Signbit(f) {
		return "-0.0" // JSON's -0 would be read as the integer 0, which has no sign
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(b)
}

func stringNode(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	switch {
	case strings.Contains(s, "\n") && !blankAtFirst(s):
		n.Style = yaml.LiteralStyle
	case plainSafe(s):
	case singleSafe(s):
		n.Style = yaml.SingleQuotedStyle
	default:
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// blankAtFirst reports whether all lines are empty, or the first non-empty one begins with a tab. A literal's
// indentation is read from that line, and the tab is rejected there or counted.
func blankAtFirst(s string) bool {
	s = strings.TrimLeft(s, " \n")
	return s == "" || s[0] == '\t'
}

// plainSafe reports whether a string certainly needs no quotes in YAML 1.1 and 1.2.
func plainSafe(s string) bool {
	if s == "" || yaml11Bool(s) || len(s) > 200 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '/'
		inner := c >= '0' && c <= '9' || c == '-' || c == '.'
		if !letter && (i == 0 && !(c >= '0' && c <= '9') || !inner && (c != ' ' || i == len(s)-1)) {
			return false
		}
	}
	if s[0] >= '0' && s[0] <= '9' {
		// 10.0.0.0/8 is a string; 10, 10.0, 1e3 and dates are not.
		return strings.Count(s, ".") == 3 && strings.Trim(s, "0123456789./") == ""
	}
	return !slices.Contains([]string{"true", "false", "null"}, strings.ToLower(s))
}

// singleSafe reports whether a string can be written in single quotes on one line.
func singleSafe(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r > 0x7e && !strconv.IsPrint(r) })
}

// FlowText writes a value on one line.
func FlowText(v any) string { return lineText(buildNode(v)) }

// lineText writes a tree on one line.
func lineText(n *yaml.Node) string {
	makeFlow(n)
	text, _ := yaml.Marshal(n) // never fails, as in BlockText
	return strings.TrimSuffix(string(text), "\n")
}

func makeFlow(n *yaml.Node) {
	switch {
	case n.Kind != yaml.ScalarNode:
		n.Style = yaml.FlowStyle
	case n.Style == yaml.LiteralStyle:
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, c := range n.Content {
		makeFlow(c)
	}
}

// ScalarLike writes a string on one line in the style of the scalar it replaces.
func ScalarLike(old *yaml.Node, s string) string {
	n := stringNode(s)
	switch {
	case old.Kind != yaml.ScalarNode:
	case old.Style&yaml.DoubleQuotedStyle != 0:
		n.Style = yaml.DoubleQuotedStyle
	case old.Style&yaml.SingleQuotedStyle != 0 && singleSafe(s):
		n.Style = yaml.SingleQuotedStyle
	}
	return lineText(n)
}

// TidyText writes a copy of a tree as tidy YAML.
func TidyText(obj map[string]any) string {
	return string(Marshal(TidyObject(runtime.DeepCopyJSON(obj))))
}

// serverMetadata are the metadata fields set by the API server, not by the author.
var serverMetadata = []string{"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp",
	"deletionGracePeriodSeconds", "managedFields", "selfLink"}

// TidyObject removes the fields that the author does not set; it changes and returns the tree.
func TidyObject(obj map[string]any) map[string]any {
	delete(obj, "status")
	if md, ok := obj["metadata"].(map[string]any); ok {
		for _, f := range serverMetadata {
			delete(md, f)
		}
		if a, ok := md["annotations"].(map[string]any); ok {
			delete(a, corev1.LastAppliedConfigAnnotation)
			if len(a) == 0 {
				delete(md, "annotations")
			}
		}
	}
	return DropNulls(obj).(map[string]any)
}

func DropNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(_ string, e any) bool { return e == nil })
		for k, e := range v {
			v[k] = DropNulls(e)
		}
	case []any:
		for i, e := range v {
			v[i] = DropNulls(e)
		}
	}
	return v
}
