package manifests

import "slices"

// equalValues compares like the API server: null means absent, and a port's default protocol is TCP.
func equalValues(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || lacksValue(a, b) || lacksValue(b, a) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; ok && !equalValues(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equalValues)
	case int64:
		if f, ok := b.(float64); ok {
			return f == float64(a)
		}
	case float64:
		if i, ok := b.(int64); ok {
			return a == float64(i)
		}
	}
	return a == b
}

// lacksValue reports whether m lacks a field of all, other than null or a default.
func lacksValue(all, m map[string]any) bool {
	for k, v := range all {
		if _, ok := m[k]; !ok && v != nil && !isDefault(m, k, v) {
			return true
		}
	}
	return false
}

// isDefault reports whether m means the same without field k, whose value is v.
func isDefault(m map[string]any, k string, v any) bool {
	if k != "protocol" || v != "TCP" {
		return false
	}
	_, port := m["port"]
	_, start := m["start"]
	return port || start
}
