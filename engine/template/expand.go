package template

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// expander replaces $NAME by its value in a YAML tree. A text consisting only of a placeholder becomes the
// value, whatever its type; in other texts and in keys the value's text is inserted. In lists, "each: NAME"
// repeats a map for each value of a list, as $each; a list inside a list is joined with it; and "when:
// CONDITION" leaves a map out. A field without a value is left out.
//
// A condition is NAME (it has a value), !NAME, NAME=TEXT or NAME!=TEXT; in a list of conditions, all must
// hold.
type expander struct {
	values map[string]any
	err    error
}

// placeholder matches $NAME.
var placeholder = regexp.MustCompile(`\$[a-zA-Z]+`)

// expand returns a node with its placeholders replaced.
func (x *expander) expand(node any) any {
	switch node := node.(type) {
	case string:
		return x.expandText(node)
	case int:
		return int64(node)
	case []any:
		return x.expandList(node)
	case map[string]any:
		out := map[string]any{}
		for k, v := range node {
			if v := x.expand(v); v != nil && k != "when" && k != "each" {
				out[fmt.Sprint(x.expandText(k))] = v
			}
		}
		return out
	}
	return node
}

func (x *expander) expandText(text string) any {
	if placeholder.FindString(text) == text && text != "" {
		return x.value(text[1:])
	}
	return placeholder.ReplaceAllStringFunc(text, func(name string) string { return fmt.Sprint(x.value(name[1:])) })
}

// expandList returns nil for a list with no item left.
func (x *expander) expandList(list []any) any {
	var out []any
	for _, item := range list {
		m, _ := item.(map[string]any)
		if m["when"] != nil && !x.holds(m["when"]) {
			continue
		}
		if name, ok := m["each"].(string); ok {
			values, _ := x.value(name).([]any)
			for _, v := range values {
				one := &expander{values: maps.Clone(x.values), err: x.err}
				one.values["each"] = v
				out = append(out, one.expand(item))
				x.err = one.err
			}
			continue
		}
		switch v := x.expand(item).(type) {
		case nil:
		case []any:
			out = append(out, v...)
		default:
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func (x *expander) value(name string) any {
	v, ok := x.values[name]
	if !ok && x.err == nil {
		x.err = fmt.Errorf("unknown placeholder $%s", name)
	}
	return v
}

// holds reports whether a condition holds, or all conditions of a list.
func (x *expander) holds(condition any) bool {
	switch c := condition.(type) {
	case nil:
		return true
	case []any:
		return !slices.ContainsFunc(c, func(one any) bool { return !x.holds(one) })
	case string:
		if name, text, ok := strings.Cut(c, "!="); ok {
			return x.value(name) != text
		}
		if name, text, ok := strings.Cut(c, "="); ok {
			return x.value(name) == text
		}
		if name, ok := strings.CutPrefix(c, "!"); ok {
			return x.value(name) == nil
		}
		return x.value(c) != nil
	}
	x.err = fmt.Errorf("%v is not a condition", condition)
	return false
}
