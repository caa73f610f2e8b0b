package form

import "fmt"

// noKey is the value of a key that is not there, and of all that is asked of it.
type noKey struct{}

func (noKey) String() string { return noValue }

const noValue = "<no value>"

// fieldsOf is the value behind keys.
func fieldsOf(value any, keys []string) (any, error) {
	for _, key := range keys {
		switch v := value.(type) {
		case noKey:
		case map[string]any:
			inner, ok := v[key]
			if !ok {
				inner = noKey{}
			}
			value = inner
		case nil:
			return nil, fmt.Errorf("nil pointer evaluating interface {}.%s", key)
		default:
			return nil, fmt.Errorf("can't evaluate field %s in type %T", key, value)
		}
	}
	return value, nil
}

// isTrue says whether a value is neither empty nor zero.
func isTrue(value any) bool {
	switch v := value.(type) {
	case nil, noKey:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	case int:
		return v != 0
	case int64:
		return v != 0
	case float64:
		return v != 0
	}
	return true
}

func printable(value any) string {
	if value == nil {
		return noValue
	}
	return fmt.Sprint(value)
}
