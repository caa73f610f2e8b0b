package manifests

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"rung/model"
)

// Marshal writes a policy as tidy YAML: what its author decides, in the order
// people write it, without status and what the server keeps. It is written from
// Original, not from the normal form.
func Marshal(p *model.Policy) ([]byte, error) {
	obj, err := generic(p.Original)
	if err != nil {
		return nil, fmt.Errorf("write %s as YAML: %w", p.Key, err)
	}
	obj["kind"] = string(p.Kind)
	for i := range kinds {
		if k := &kinds[i]; k.kind == p.Kind {
			obj["apiVersion"] = k.apiVersion()
		}
	}
	return marshalTidy(obj), nil
}

// generic is a typed object, or one of the forms of a generic one, as a tree of
// its own.
func generic(o any) (map[string]any, error) {
	switch v := o.(type) {
	case nil:
		return nil, fmt.Errorf("there is no object")
	case map[string]any:
		return runtime.DeepCopyJSON(v), nil
	case *unstructured.Unstructured:
		return runtime.DeepCopyJSON(v.Object), nil
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(o)
}

// serverMetadata is kept by the API server; it is not the author's.
var serverMetadata = []string{"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp",
	"deletionGracePeriodSeconds", "managedFields", "selfLink"}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// tidy takes out of a tree what its author does not decide; it changes and
// returns it.
func tidy(obj map[string]any) map[string]any {
	delete(obj, "status")
	if md, ok := obj["metadata"].(map[string]any); ok {
		for _, f := range serverMetadata {
			delete(md, f)
		}
		if a, ok := md["annotations"].(map[string]any); ok {
			delete(a, lastApplied)
			if len(a) == 0 {
				delete(md, "annotations")
			}
		}
	}
	return dropNulls(obj).(map[string]any)
}

func dropNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(_ string, e any) bool { return e == nil })
		for k, e := range v {
			v[k] = dropNulls(e)
		}
	case []any:
		for i, e := range v {
			v[i] = dropNulls(e)
		}
	}
	return v
}

// marshalTidy writes a tree, which it does not change, as tidy YAML.
func marshalTidy(obj map[string]any) []byte {
	return encodeBlock(nodeOf(tidy(runtime.DeepCopyJSON(obj))), 2, false)
}

// encodeBlock writes a tree in block style. compact puts the dashes of a list
// under its key, without indent.
func encodeBlock(n *yaml.Node, indent int, compact bool) []byte {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(indent)
	if compact {
		enc.CompactSeqIndent()
	}
	// A tree made by nodeOf can always be written, to memory.
	_ = enc.Encode(n)
	_ = enc.Close()
	return b.Bytes()
}

// fieldOrder is the order people write fields in; what is not listed comes
// between, by name.
var fieldOrder = map[string]int{
	"apiVersion": -90, "kind": -80, "metadata": -70, "spec": -60, "name": -50, "namespace": -45, "priority": -40,
	"subject": -38, "podSelector": -35, "policyTypes": -34, "ingress": -32, "egress": -31, "action": -30, "type": -30,
	"from": -28, "to": -27, "namespaceSelector": -36, "ports": -20, "key": -19, "operator": -18, "protocol": -17,
	"port": -16, "start": -16, "end": -15, "endPort": -15, "matchLabels": -12, "matchExpressions": -11, "values": 10, "status": 90,
}

func compareFields(a, b string) int {
	return cmp.Or(cmp.Compare(fieldOrder[a], fieldOrder[b]), cmp.Compare(a, b))
}

// nodeOf is the YAML tree of a generic value, fields in the order of
// compareFields.
func nodeOf(v any) *yaml.Node {
	switch v := v.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, k := range slices.SortedFunc(maps.Keys(v), compareFields) {
			n.Content = append(n.Content, stringNode(k), nodeOf(v[k]))
		}
		if len(v) == 0 {
			n.Style = yaml.FlowStyle
		}
		return n
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, e := range v {
			n.Content = append(n.Content, nodeOf(e))
		}
		if len(v) == 0 {
			n.Style = yaml.FlowStyle
		}
		return n
	case string:
		return stringNode(v)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: literal(v)}
}

// literal is a null, boolean or number as YAML and JSON write it.
func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
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
	case strings.Contains(s, "\n"):
		n.Style = yaml.LiteralStyle
	case plainSafe(s):
	case singleSafe(s):
		n.Style = yaml.SingleQuotedStyle
	default:
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// plainSafe says whether a string needs no quotes anywhere in YAML 1.1 or 1.2;
// it says no more often than it must.
func plainSafe(s string) bool {
	if s == "" || oldBool(s) || len(s) > 200 {
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
		// 10.0.0.0/8 is a string, 10 and 10.0 and 1e3 and dates are not.
		return strings.Count(s, ".") == 3 && strings.Trim(s, "0123456789./") == ""
	}
	return !slices.Contains([]string{"true", "false", "null"}, strings.ToLower(s))
}

// singleSafe says whether a string can stand in single quotes on one line.
func singleSafe(s string) bool {
	for _, r := range s {
		if r < ' ' || r == 0x7f || r > 0x7e && !strconv.IsPrint(r) {
			return false
		}
	}
	return true
}
