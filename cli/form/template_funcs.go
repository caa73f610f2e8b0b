package form

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// templateFunc is a function of templates, with how many arguments it takes; most is -1 for any number.
type templateFunc struct {
	least, most int
	run         func(args []any) (any, error)
}

// templateFuncs are the functions of Go's templates, without call, js and slice of what is no
// JSON, and those that kubectl adds.
var templateFuncs = map[string]templateFunc{
	"and": {1, -1, func(args []any) (any, error) { return args[len(args)-1], nil }},
	"or":  {1, -1, func(args []any) (any, error) { return args[len(args)-1], nil }},
	"not": {1, 1, func(args []any) (any, error) { return !isTrue(args[0]), nil }},
	"len": {1, 1, func(args []any) (any, error) { return lengthOf(args[0]) }},
	"index": {1, -1, func(args []any) (any, error) {
		value := args[0]
		for _, key := range args[1:] {
			var err error
			if value, err = indexOf(value, key); err != nil {
				return nil, err
			}
		}
		return value, nil
	}},
	"slice":    {1, 3, sliceOf},
	"print":    {0, -1, func(args []any) (any, error) { return fmt.Sprint(args...), nil }},
	"println":  {0, -1, func(args []any) (any, error) { return fmt.Sprintln(args...), nil }},
	"printf":   {1, -1, formatArgs},
	"html":     {0, -1, func(args []any) (any, error) { return escapeHTML.Replace(textOf(args)), nil }},
	"urlquery": {0, -1, func(args []any) (any, error) { return url.QueryEscape(textOf(args)), nil }},
	"eq": {2, -1, func(args []any) (any, error) {
		for _, other := range args[1:] {
			if same, err := isEqual(args[0], other); same || err != nil {
				return same, err
			}
		}
		return false, nil
	}},
	"ne": {2, 2, func(args []any) (any, error) {
		same, err := isEqual(args[0], args[1])
		return !same, err
	}},
	"lt": {2, 2, comparing(func(c int) bool { return c < 0 })},
	"le": {2, 2, comparing(func(c int) bool { return c <= 0 })},
	"gt": {2, 2, comparing(func(c int) bool { return c > 0 })},
	"ge": {2, 2, comparing(func(c int) bool { return c >= 0 })},
	"exists": {1, -1, func(args []any) (any, error) {
		value := args[0]
		for _, key := range args[1:] {
			var err error
			if value, err = indexOf(value, key); err != nil {
				return false, nil
			}
		}
		return value != nil, nil
	}},
	"base64decode": {1, 1, func(args []any) (any, error) {
		text, ok := args[0].(string)
		if !ok {
			return nil, fmt.Errorf("want text, got %v", args[0])
		}
		out, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, fmt.Errorf("base64 decode failed: %w", err)
		}
		return string(out), nil
	}},
}

// escapeHTML writes quotes as Go's templates do.
var escapeHTML = strings.NewReplacer("&", "&amp;", "'", "&#39;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "\x00", "\uFFFD")

// textOf is arguments as one text.
func textOf(args []any) string {
	if len(args) == 1 {
		return printable(args[0])
	}
	return fmt.Sprint(args...)
}

func formatArgs(args []any) (any, error) {
	form, ok := args[0].(string)
	if !ok {
		return nil, fmt.Errorf("want a format, got %v", args[0])
	}
	return fmt.Sprintf(form, args[1:]...), nil
}

func lengthOf(value any) (int, error) {
	switch v := value.(type) {
	case string:
		return len(v), nil
	case []any:
		return len(v), nil
	case map[string]any:
		return len(v), nil
	case nil:
		return 0, errors.New("len of nil pointer")
	}
	return 0, fmt.Errorf("len of type %T", value)
}

// wholeNumber is a number that counts, of JSON or of the template.
func wholeNumber(value any) (n int, ok bool) {
	switch v := value.(type) {
	case int:
		return v, true
	case int64:
		return int(v), true
	}
	return 0, false
}

// indexOf is the value at a place of a list or a text, or behind a key.
func indexOf(value, key any) (any, error) {
	switch v := value.(type) {
	case map[string]any:
		name, ok := key.(string)
		if !ok && key != nil {
			return nil, fmt.Errorf("value has type %T; should be string", key)
		}
		return v[name], nil
	case []any, string:
		at, ok := wholeNumber(key)
		if !ok {
			return nil, fmt.Errorf("cannot index slice/array with type %T", key)
		}
		if n, _ := lengthOf(v); at < 0 || at >= n {
			return nil, fmt.Errorf("index out of range: %d", at)
		}
		if text, ok := v.(string); ok {
			return int(text[at]), nil
		}
		return v.([]any)[at], nil
	case nil:
		return nil, errors.New("index of untyped nil")
	}
	return nil, fmt.Errorf("can't index item of type %T", value)
}

// sliceOf is a part of a list or a text.
func sliceOf(args []any) (any, error) {
	n, err := lengthOf(args[0])
	if _, isMap := args[0].(map[string]any); isMap || err != nil {
		return nil, fmt.Errorf("can't slice item of type %T", args[0])
	}
	at := []int{0, n}
	for i, a := range args[1:] {
		k, ok := wholeNumber(a)
		if !ok || k < 0 || k > n {
			return nil, fmt.Errorf("index out of range: %v", a)
		}
		at[i] = k
	}
	if at[0] > at[1] {
		return nil, fmt.Errorf("invalid slice index: %d > %d", at[0], at[1])
	}
	if text, ok := args[0].(string); ok {
		return text[at[0]:at[1]], nil
	}
	return args[0].([]any)[at[0]:at[1]], nil
}

var (
	errKinds     = errors.New("incompatible types for comparison")
	errNoCompare = errors.New("invalid type for comparison")
)

// isEqual compares two values of one kind, or with none.
func isEqual(a, b any) (bool, error) {
	for _, v := range []any{a, b} {
		switch v.(type) {
		case []any, map[string]any:
			return false, errNoCompare
		}
	}
	if a == nil || b == nil {
		return a == b, nil
	}
	if x, ok := a.(bool); ok {
		y, ok := b.(bool)
		if !ok {
			return false, errKinds
		}
		return x == y, nil
	}
	c, err := compareValues(a, b)
	return c == 0, err
}

// compareValues orders two numbers or two texts.
func compareValues(a, b any) (int, error) {
	if x, ok := wholeNumber(a); ok {
		if y, ok := wholeNumber(b); ok {
			return cmp.Compare(x, y), nil
		}
		return 0, errKinds
	}
	switch x := a.(type) {
	case float64:
		if y, ok := b.(float64); ok {
			return cmp.Compare(x, y), nil
		}
		return 0, errKinds
	case string:
		if y, ok := b.(string); ok {
			return cmp.Compare(x, y), nil
		}
		return 0, errKinds
	}
	return 0, errNoCompare
}

func comparing(holds func(c int) bool) func(args []any) (any, error) {
	return func(args []any) (any, error) {
		c, err := compareValues(args[0], args[1])
		return err == nil && holds(c), err
	}
}
